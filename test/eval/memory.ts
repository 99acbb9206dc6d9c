/**
 * Measures a derived memory: `npm run eval -- memory --dir DIR [--seed N] [--json FILE]`. It reports the sizes of
 * boxes, whether every fact and entry cites utterances of the log, and the shares of facts with a pronoun, with a
 * relative date, or equal to an utterance. It prints 50 random facts to read. The exit code is 1 if a citation is
 * invalid, and a memory without utterances, boxes or facts is refused.
 */
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import type { LoomEvent } from '@loomlog/schemas/events'
import { writeResult } from '../figures/result.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { seededRandom } from '../seeded-random.ts'
import { holdsPronoun, holdsRelativeTime } from './flaws.ts'

const { values } = parseArgs({
  options: { dir: { type: 'string' }, seed: { type: 'string', default: '1' }, json: { type: 'string' } },
})
const dir = values.dir
if (!dir)
  throw new LoomlogError('input-invalid', '--dir is missing: expected the folder of a log, as loomlog ingest made it')
const shown = 50

async function events<T extends LoomEvent['type']>(topic: string, type: T) {
  const { code, stdout, stderr } = await loomlog(['tail', topic, '--dir', dir ?? ''])
  if (code !== 0) throw new Error(stderr)
  const lines = stdout.split('\n').filter((line) => line !== '')
  const all = lines.map((line) => JSON.parse(line) as { key: string; event: LoomEvent })
  return all.filter((each): each is { key: string; event: Extract<LoomEvent, { type: T }> } => each.event.type === type)
}

const utterances = await events('utterances', 'UtteranceAppended')
const boxes = await events('topic-shifts', 'BoxSealed')
const facts = await events('facts', 'FactRecorded')
const entries = await events('consolidations', 'EntryWritten')

for (const [name, { length }] of Object.entries({ utterances, boxes, facts })) {
  if (length === 0)
    throw new LoomlogError('input-invalid', `${dir} has no ${name}: expected the folder of a derived memory`)
}

const known = new Set(utterances.map(({ key, event }) => `${key}/${event.id}`))
const words = new Set(utterances.map(({ event }) => event.text.trim()))
const citing = [...facts, ...entries]
const astray = citing.filter(
  ({ key, event }) => event.sources.length === 0 || event.sources.some((id) => !known.has(`${key}/${id}`)),
)
const share = (broken: (text: string) => boolean) =>
  facts.filter(({ event }) => broken(event.text)).length / facts.length
const result = {
  utterances: utterances.length,
  boxes: boxes.length,
  utterancesPerBox: boxes.reduce((sum, { event }) => sum + event.utterances.length, 0) / boxes.length,
  facts: facts.length,
  events: facts.filter(({ event: { kind } }) => kind === 'event' || kind === 'plan').length,
  entries: entries.length,
  citationsAstray: astray.length,
  factShares: {
    pronoun: share(holdsPronoun),
    relativeDate: share(holdsRelativeTime),
    equalsUtterance: share((text) => words.has(text.trim())),
  },
}
const random = seededRandom(Number(values.seed))
const drawn = facts.map(({ event }) => ({ event, at: random() })).sort((a, b) => a.at - b.at)
console.log(`seed ${values.seed}`)
for (const { event } of drawn.slice(0, shown)) console.log(`  ${event.text} [${event.sources.join(', ')}]`)
console.log(JSON.stringify(result, null, 2))
await writeResult(values.json, 'eval -- memory', result)
process.exitCode = astray.length === 0 ? 0 : 1
