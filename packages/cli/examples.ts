/** The examples at the end of every command's `--help`. A test parses each of them. */
import type { Command } from 'commander'

const examples: { readonly [path: string]: readonly string[] } = {
  init: ['init --dir ./memory'],
  up: ['up', 'up --host 0.0.0.0 --port 8080'],
  demo: ['demo', 'demo --keep ./demo'],
  ingest: [
    'ingest talk.jsonl --space team',
    'ingest conversations.json --speaker Maya --dry-run',
    'ingest team.jsonl.gz',
  ],
  recall: ['recall "Where does Maya live?" --space team', 'recall "Where does Maya live?" --limit 5 --explain'],
  context: ['context "Where does Maya live?" --budget 500', 'context --space team'],
  tools: ['tools', `tools exact_pattern '{"pattern": "Lisbon"}' --space team`],
  why: ['why ID --space team'],
  impact: ['impact ID --limit 20'],
  mcp: ['mcp --space team --author Maya', 'mcp --url http://127.0.0.1:7070 --space team'],
  tail: ['tail utterances', 'tail memory-events --follow'],
  status: ['status', 'status --url http://127.0.0.1:7070'],
  dump: ['dump --hash'],
  export: [
    'export --as archive --space team --to team.jsonl.gz',
    'export --as csv --space team --to facts.csv',
    'export --as cloudevents --topic facts --to -',
  ],
  verify: ['verify', 'verify --repair'],
  correct: ['correct ID --text "Maya lives in Porto."', 'correct ID --retract --reason "a joke"'],
  retract: ['retract --speaker Maya --dry-run'],
  forget: [
    'forget --speaker Maya',
    'forget --conversation support-17 --yes',
    'forget --tenant acme --every-space --everything',
  ],
  'forget certificate': ['forget certificate ID'],
  'forget verify': ['forget verify certificate.json'],
  retention: ['retention', 'retention --json'],
  topics: ['topics plan'],
  'topics plan': ['topics plan --dir ./memory'],
  'topics apply': ['topics apply'],
  backup: ['backup ./backup'],
  restore: ['restore ./backup'],
  encryption: ['encryption status'],
  'encryption status': ['encryption status'],
  'encryption rekey': ['encryption rekey --key-file ./key', 'encryption rekey --kms ./kms.ts'],
  log: ['log copy --from sqlite:./memory --to sqlite:./copy'],
  'log copy': ['log copy --from sqlite:./memory --to kafka:localhost:9092'],
  generation: ['generation list', 'generation plan'],
  'generation plan': ['generation plan', 'generation plan --sample 0.1'],
  'generation start': ['generation start --wait', 'generation start --set view-embedder=words-256 --name words'],
  'generation list': ['generation list'],
  'generation show': ['generation show ID'],
  'generation diff': ['generation diff BEFORE AFTER --limit 20'],
  'generation pause': ['generation pause ID'],
  'generation resume': ['generation resume ID'],
  'generation cancel': ['generation cancel ID'],
  'generation promote': ['generation promote ID'],
  'generation rollback': ['generation rollback'],
  'generation retire': ['generation retire ID --dry-run'],
  'generation gc': ['generation gc --dry-run'],
  keys: ['keys list'],
  'keys create': [
    'keys create --tenant acme --scope append',
    'keys create --tenant acme --scope append --speaker Maya --role human --expires 90d',
  ],
  'keys list': ['keys list'],
  'keys rotate': ['keys rotate ID', 'keys rotate ID --overlap 7d --expires 90d'],
  'keys revoke': ['keys revoke ID'],
  parked: ['parked list'],
  'parked list': ['parked list'],
  'parked show': ['parked show ID'],
  'parked retry': ['parked retry ID --by maya'],
  webhooks: ['webhooks list'],
  'webhooks create': ['webhooks create https://example.org/memory --space team'],
  'webhooks list': ['webhooks list'],
  'webhooks pause': ['webhooks pause ID'],
  'webhooks resume': ['webhooks resume ID'],
  'webhooks remove': ['webhooks remove ID'],
  'webhooks parked': ['webhooks parked ID'],
  'webhooks replay': ['webhooks replay ID'],
  doctor: ['doctor', 'doctor --url http://127.0.0.1:7070'],
  completion: ['completion bash'],
}

/** Adds the examples to the help of every command below this one. */
export function addExamples(command: Command, path = ''): void {
  for (const child of command.commands) {
    const name = `${path} ${child.name()}`.trim()
    const lines = (examples[name] ?? []).map((example) => `  loomlog ${example}`)
    child.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
    addExamples(child, name)
  }
}
