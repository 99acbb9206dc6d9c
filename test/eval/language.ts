/**
 * Measures the language rules on a file of conversations in LoCoMo's format: the number of statements; the shares of
 * statements with a pronoun, with a relative date, or equal to the utterance; the time; and, of the turns that the
 * data's own facts cite, the share with a statement. It prints N random statements to read, by default 50.
 *
 * npm run eval -- language --data FILE [--seed N] [--show N] [--json FILE]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { restate, type Statement } from '@loomlog/language/restate'
import { writeResult } from '../figures/result.ts'
import { seededRandom } from '../seeded-random.ts'
import { holdsPronoun, holdsRelativeTime } from './flaws.ts'
import { sessionTime } from './locomo/session-time.ts'

interface Turn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  readonly blip_caption?: string
}
interface Sample {
  readonly conversation: { readonly speaker_a: string; readonly speaker_b: string; readonly [key: string]: unknown }
  readonly observation: {
    readonly [session: string]: {
      readonly [speaker: string]: readonly (readonly [string, string | readonly string[]])[]
    }
  }
}
interface Drawn {
  readonly turn: Turn
  readonly statement: Statement
}

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'string' },
    show: { type: 'string', default: '50' },
  },
})
if (!values.data) throw new Error('--data FILE is needed')
const samples = JSON.parse(readFileSync(values.data, 'utf8')) as readonly Sample[]

const all: Drawn[] = []
let turns = 0
let restated = 0
let elapsedMs = 0
let covered = 0
let evidence = 0
let coveredByWords = 0
for (const sample of samples) {
  const { speaker_a: a, speaker_b: b } = sample.conversation
  const byTurn = new Map<string, number>()
  for (const [session, at] of sessions(sample)) {
    const previous: { speaker: string; text: string }[] = []
    for (const turn of session) {
      const start = performance.now()
      const statements = restate(
        {
          speaker: turn.speaker,
          text: turn.text,
          at,
          attachments: turn.blip_caption ? [{ description: turn.blip_caption }] : [],
        },
        { addressee: turn.speaker === a ? b : a, previous: previous.slice(-4), participants: [a, b] },
      )
      elapsedMs += performance.now() - start
      previous.push({ speaker: turn.speaker, text: turn.text })
      turns++
      const spoken = statements.filter((statement) => statement.relation !== 'shared')
      if (spoken.length > 0) restated++
      byTurn.set(turn.dia_id, statements.length)
      all.push(...statements.map((statement) => ({ turn, statement })))
      if (spoken.length > 0) byTurn.set(`words ${turn.dia_id}`, spoken.length)
    }
  }
  for (const id of evidenceOf(sample)) {
    evidence++
    if ((byTurn.get(id) ?? 0) > 0) covered++
    if (byTurn.has(`words ${id}`)) coveredByWords++
  }
}

const words = all.filter(({ statement }) => statement.relation !== 'shared')
const flat = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
const withPronoun = words.filter(({ statement }) => holdsPronoun(statement.text))
const withRelative = words.filter(({ statement }) => holdsRelativeTime(statement.text))
const equal = words.filter(({ turn, statement }) => flat(turn.text) === flat(statement.text))
const share = (count: number, of: number) => Math.round((1000 * count) / of) / 10

const result = {
  utterances: turns,
  statements: all.length,
  ofWords: words.length,
  ofImages: all.length - words.length,
  perUtterance: Math.round((100 * words.length) / turns) / 100,
  utterancesRestatedPercent: share(restated, turns),
  withTimePercent: share(words.filter(({ statement }) => statement.when).length, words.length),
  pronounPercent: share(withPronoun.length, words.length),
  relativeTimePercent: share(withRelative.length, words.length),
  equalPercent: share(equal.length, words.length),
  msPerUtterance: Math.round((100 * elapsedMs) / turns) / 100,
  evidenceTurns: evidence,
  evidenceCoveredPercent: share(covered, evidence),
  evidenceCoveredByWordsPercent: share(coveredByWords, evidence),
}

const random = seededRandom(Number(values.seed))
const left = [...words]
for (let i = 0; i < Number(values.show) && left.length > 0; i++) {
  const [drawn] = left.splice(Math.floor(random() * left.length), 1)
  if (!drawn) continue
  const { statement, turn } = drawn
  console.log(
    `${i + 1}. ${statement.text}  [${statement.subject} | ${statement.relation} | ${statement.object}] ${statement.kind} ${statement.tense}`,
  )
  console.log(`      ${turn.dia_id} ${turn.speaker}: ${turn.text.replaceAll('\n', ' ')}`)
}
for (const { statement } of [...withPronoun.slice(0, 8), ...withRelative.slice(0, 8), ...equal.slice(0, 4)])
  console.log(`! ${statement.text}`)
console.log(result)
await writeResult(values.json, 'eval -- language', result)

function* sessions(sample: Sample): Generator<readonly [readonly Turn[], number]> {
  for (let n = 1; n < 100; n++) {
    const turns = sample.conversation[`session_${n}`] as readonly Turn[] | undefined
    const time = sample.conversation[`session_${n}_date_time`] as string | undefined
    if (turns && time) yield [turns, sessionTime(time)]
  }
}

function evidenceOf(sample: Sample): ReadonlySet<string> {
  const ids = Object.values(sample.observation).flatMap((bySpeaker) =>
    Object.values(bySpeaker)
      .flat()
      .map(([, id]) => id),
  )
  return new Set(ids.flat().flatMap((id) => id.split(/[;,]\s*/)))
}
