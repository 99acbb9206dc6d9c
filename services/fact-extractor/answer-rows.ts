/**
 * The rows of a model's answer: each topic with the line that begins it, and its facts.
 *
 *   [1] Ann's sailing trip to Porto
 *   1,3 event 2026-03-01 Ann | sailed to Porto with Tom
 *   4 state! 2026-03.. Ann | lives in Porto, no longer in Leeds
 *
 * The words of a fact come last, so that they may have any sign. A row that can't be read is left out; the schema lets
 * an endpoint enforce the form.
 */
import type { FactKind } from '@loomlog/schemas/events'
import { type FactTime, timeIn } from './fact-times.ts'

export interface AnswerRows {
  readonly topics: readonly TopicRow[]
  readonly facts: readonly FactRow[]
}

export interface TopicRow {
  /** Of the line that begins it. */
  readonly label: string
  readonly topic: string
}

export interface FactRow {
  readonly labels: readonly string[]
  readonly kind: FactKind
  /** Whether it says how an agent shall always act. */
  readonly isWish: boolean
  readonly isChange: boolean
  readonly time: FactTime | null
  readonly subject: string
  /** The rest of the sentence, without a full stop. */
  readonly rest: string
}

/**
 * The form of a row, as a pattern for the schema. llama.cpp's server refuses patterns without both anchors or with
 * `\d`. It is no stricter than needed: an endpoint that doesn't enforce it is asked again for the whole answer.
 */
export const rowPattern = '^(\\[[0-9]+\\] .+|[0-9][0-9, -]* [a-z]+!? [-+.:0-9TZ]+ [^|]+[|].+)$'

const topicRow = /^\[(?<label>\d+)\] (?<topic>.+)$/
const factHead = /^(?<labels>\d[\d,; -]*) (?<kind>[a-z]+)(?<change>!?) (?<time>\S+) (?<subject>.+)$/

const kinds: { readonly [word: string]: FactKind } = {
  event: 'event',
  plan: 'plan',
  state: 'state',
  like: 'preference',
  wish: 'preference',
}
const maxTopic = 120
const maxSubject = 200
const maxRest = 800

export function readRows(rows: readonly string[]): AnswerRows {
  const tidied = rows.map(tidy)
  return { topics: tidied.flatMap((row) => topicIn(row) ?? []), facts: tidied.flatMap((row) => factIn(row) ?? []) }
}

function topicIn(row: string): TopicRow | null {
  const { label, topic = '' } = topicRow.exec(row)?.groups ?? {}
  return label === undefined ? null : { label, topic: cut(topic.replace(/\.$/, ''), maxTopic) }
}

/** The first bar separates the subject from the rest. */
function factIn(row: string): FactRow | null {
  const bar = row.indexOf('|')
  const { labels, kind = '', change, time = '', subject = '' } = factHead.exec(row.slice(0, bar).trim())?.groups ?? {}
  const rest = row
    .slice(bar + 1)
    .trim()
    .replace(/[.。]$/, '')
  if (bar < 0 || labels === undefined || rest === '') return null
  return {
    labels: labels.match(/\d+/g) ?? [],
    kind: kinds[kind] ?? 'state',
    isWish: kind === 'wish',
    isChange: change === '!',
    time: timeIn(time),
    subject: cut(subject, maxSubject),
    rest: cut(rest, maxRest),
  }
}

function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed()
}

function tidy(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
