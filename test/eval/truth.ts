/**
 * Measures facts, changes and outdated evidence on the judged conversations: `npm run eval -- truth [--half tuning|unseen] [--only NAME]
 * [--show] [--json FILE]`. `--show` prints every fact with its verdict and every missed change; use it with the tuning half only.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { writeResult } from '../figures/result.ts'
import { verdicts } from './corpus/verdict.ts'
import { halves, readConversations } from './truth/conversation.ts'
import { type Decisions, decisionKey, measure, type TruthMeasure } from './truth/measures.ts'
import { withMemory } from './truth/memory.ts'

const { values } = parseArgs({
  options: {
    half: { type: 'string', default: 'tuning' },
    only: { type: 'string' },
    show: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const half = halves.find((each) => each === values.half)
if (!half) throw new LoomlogError('input-invalid', `--half is ${values.half}: expected one of ${halves.join(', ')}`)

const lines = readFileSync(new URL('./truth/verdicts.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const decided: Decisions = new Map(
  lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(({ source, text, verdict }) => [decisionKey(source, text), verdict]),
)

const conversations = readConversations(half).filter(({ name }) => values.only === undefined || name === values.only)
const results: TruthMeasure[] = []
for (const conversation of conversations) {
  const result = await withMemory(conversation, (memory) => measure(conversation, memory, decided))
  results.push(result)
  if (values.show) show(result)
  print(result.name, [result])
}
print('all', results)
if (values.json) {
  const figures = Object.fromEntries(results.map((result) => [result.name, figuresOf([result])]))
  await writeResult(values.json, 'eval -- truth', { half, all: figuresOf(results), ...figures })
}

function figuresOf(of: readonly TruthMeasure[]) {
  const facts = of.flatMap((result) => result.facts)
  const changes = of.flatMap((result) => result.changes)
  const byVerdict = verdicts.map(
    (verdict) => [verdict, facts.filter((fact) => fact.verdict === verdict).length] as const,
  )
  return {
    facts: facts.length,
    marked: of.reduce((sum, result) => sum + result.marked, 0),
    covered: of.reduce((sum, result) => sum + result.covered, 0),
    ...(Object.fromEntries(byVerdict) as { readonly [verdict in (typeof verdicts)[number]]: number }),
    changes: changes.length,
    recognised: changes.filter((change) => change.isRecognised).length,
    stale: changes.filter((change) => change.isStale).length,
    withoutCurrent: changes.filter((change) => !change.hasCurrent).length,
    replacements: of.reduce((sum, result) => sum + result.replacements, 0),
    falseReplacements: of.reduce((sum, result) => sum + result.falseReplacements.length, 0),
  }
}

function print(name: string, of: readonly TruthMeasure[]): void {
  const { facts, marked, covered, right, wrong, useless, unjudged, ...rest } = figuresOf(of)
  const { changes, recognised, stale, withoutCurrent, replacements, falseReplacements } = rest
  console.log(
    `${name.padEnd(20)} ${facts} facts, which say ${covered} of ${marked} marked: ${right} right, ${wrong} wrong, ${useless} useless, ${unjudged} unjudged; ` +
      `${recognised} of ${changes} changes recognised, ${stale} stale, ${withoutCurrent} without the current message; ${falseReplacements} of ${replacements} replacements false`,
  )
}

function show({ facts, changes, falseReplacements }: TruthMeasure): void {
  for (const { text, sources, verdict } of facts) console.log(`  ${verdict.padEnd(9)} ${text} [${sources.join(', ')}]`)
  for (const { by, ask, isRecognised, isStale } of changes) {
    if (!isRecognised || isStale)
      console.log(`  ${isRecognised ? 'stale' : 'missed'}${isStale && !isRecognised ? ', stale' : ''}: ${by} ${ask}`)
  }
  for (const { texts } of falseReplacements) console.log(`  false replacement: ${texts.join(' -> ')}`)
}
