/**
 * The cost of deriving a memory with a model: calls and tokens an utterance, by task and in all. A fake endpoint
 * answers, with LoCoMo's `observation` sentences as the facts of a line; its other answers are invented. Tokens are
 * o200k, of prompts, inputs, schemas and answers.
 *
 * npm run eval -- tokens --data FILE [--conversations N] [--pause MINUTES …] [--json FILE]
 *
 * Each `--pause` measures the same lines as short live conversations (`tokens/live-spaces.ts`), with this pause of the
 * space.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { type FakeRequest, startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { canonicalJson, type Json } from '@loomlog/schemas/ids'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { writeResult } from '../figures/result.ts'
import { rounded } from './agreement.ts'
import { answerFor } from './rederive/answers.ts'
import { factRow, linesOf } from './rederive/lines.ts'
import { derive } from './rederive/world.ts'
import { liveSpaces, type SpokenLine } from './tokens/live-spaces.ts'

interface Cost {
  readonly calls: number
  readonly tokens: number
  readonly input: number
  readonly schema: number
  readonly output: number
}

type Observations = {
  readonly [speaker: string]: readonly (readonly [fact: string, source: string | readonly string[]])[]
}
type Sample = {
  readonly conversation: { readonly [session: string]: string | readonly SpokenLine[] }
  readonly observation: { readonly [session: string]: Observations }
}

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    json: { type: 'string' },
    conversations: { type: 'string', default: '1' },
    pause: { type: 'string', multiple: true, default: [] },
  },
})
if (!values.data) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LoCoMo file')
const samples = (JSON.parse(await readFile(values.data, 'utf8')) as Sample[]).slice(0, Number(values.conversations))
const sessions = samples.map(({ conversation }) => Object.values(conversation).filter(Array.isArray) as SpokenLine[][])
const turns = sessions.flat(2)
const factsOf = Map.groupBy(samples.flatMap(factsBySource), ([text]) => oneLine(text))

const noCost: Cost = { calls: 0, tokens: 0, input: 0, schema: 0, output: 0 }
const costs = new Map<string, Cost>()
const endpoint = await startFakeEndpoint({ answer: answerAndCount })
try {
  const imported = await measureCosts('append', JSON.stringify(samples))
  console.log(`${turns.length} utterances; each figure is per utterance; a fake endpoint answers`)
  console.table({ ...imported.byTask, all: imported.all })
  const live = await measuredLive()
  if (live.length > 0) console.table(live)
  await writeResult(values.json, 'eval -- tokens', { utterances: turns.length, ...imported, live })
} finally {
  await endpoint.close()
}

async function measuredLive() {
  const rows: ({ readonly pauseMinutes: number } & Cost)[] = []
  for (const minutes of values.pause.map(Number)) {
    const events = liveSpaces(sessions, { pauseMs: minutes * 60_000, seed: 1 })
    rows.push({ pauseMinutes: minutes, ...(await measureCosts('appendEvents', JSON.stringify(events))).all })
  }
  return rows
}

/** @param content of the file to append */
async function measureCosts(append: 'append' | 'appendEvents', content: string) {
  costs.clear()
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-tokens-'))
  try {
    const file = join(dir, 'lines.json')
    await writeFile(file, content)
    const environment = {
      LOOMLOG_MODEL: 'fake-model',
      LOOMLOG_MODEL_URL: endpoint.baseUrl,
      LOOMLOG_API_KEY: 'fake-key',
    }
    await derive({ environment }, dir, { [append]: file, parts: ['stages'] })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
  return {
    all: perUtterance([...costs.values()].reduce(sum, noCost)),
    byTask: Object.fromEntries([...costs].map(([task, cost]) => [task, perUtterance(cost)])),
  }
}

function answerAndCount(request: FakeRequest): Json {
  const answer = answerTo(request)
  const schema = countTokens(canonicalJson(request.schema ?? {}))
  const input = countTokens(request.prompt) + countTokens(canonicalJson(request.input)) + schema
  const output = countTokens(canonicalJson(answer))
  const task = request.schemaName ?? 'unnamed'
  costs.set(task, sum(costs.get(task) ?? noCost, { calls: 1, tokens: input + output, input, schema, output }))
  return answer
}

/**
 * Facts are LoCoMo's sentences, cut into the fields of a fact. All other answers are those of the re-derivations' fake
 * model.
 */
function answerTo(request: FakeRequest): Json {
  const answer = answerFor(request)
  if (request.schemaName !== 'extract-facts') return answer
  const rows = linesOf(String(request.input)).flatMap(({ label, text }) =>
    (factsOf.get(oneLine(text)) ?? []).map(([, fact]) => {
      const [subject = '', ...rest] = fact.split(' ')
      return factRow({ label, kind: kindOf(fact), subject, rest: rest.join(' ') })
    }),
  )
  return { rows }
}

/**
 * LoCoMo's sentences have no kind. A sentence in the past tense counts as an event, so that trace-weaver asks about
 * links.
 */
function kindOf(fact: string): 'event' | 'plan' | 'state' {
  if (/^\S+ (?:\w+ed|went|took|made|bought|met|got|gave|ran|won|had|saw|found|lost|told|began|wrote)\b/.test(fact))
    return 'event'
  return /\b(?:will|plans?|planning|going to)\b/.test(fact) ? 'plan' : 'state'
}

/** The text of a row on one line, without the descriptions of its attachments. */
function oneLine(text: string): string {
  return text
    .replace(/ \[shown: .*\]$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function factsBySource({ conversation, observation }: Sample): readonly (readonly [text: string, fact: string])[] {
  const textOf = new Map(
    (Object.values(conversation).filter(Array.isArray).flat() as SpokenLine[]).map(({ dia_id, text }) => [
      dia_id,
      text,
    ]),
  )
  return Object.values(observation).flatMap((bySpeaker) =>
    Object.values(bySpeaker).flatMap((facts) =>
      facts.flatMap(([fact, source]) => {
        const text = textOf.get([source].flat()[0] ?? '')
        return text === undefined ? [] : [[text, fact] as const]
      }),
    ),
  )
}

function sum(one: Cost, other: Cost): Cost {
  return {
    calls: one.calls + other.calls,
    tokens: one.tokens + other.tokens,
    input: one.input + other.input,
    schema: one.schema + other.schema,
    output: one.output + other.output,
  }
}

function perUtterance(cost: Cost): Cost {
  const share = (total: number) => rounded(total / turns.length)
  return {
    calls: share(cost.calls),
    tokens: share(cost.tokens),
    input: share(cost.input),
    schema: share(cost.schema),
    output: share(cost.output),
  }
}
