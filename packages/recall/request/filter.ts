/**
 * The scope of a request within its space: filters, and the time as of which it is made. It becomes a condition on each
 * table, so that memories out of scope take no candidate's slot. The same rule applies to utterances of the log tail.
 *
 * Two times (log and event): *known at* hides memories that the log had not accepted by then, and includes memories
 * retired later. *True at* shows utterances, events and facts that had begun by then, without those that are known to
 * have ended by then.
 */
import { alikeName } from '@loomlog/language/alike-name'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { sameName } from '@loomlog/schemas/names'
import {
  after,
  and,
  atLeast,
  atMost,
  before,
  type Condition,
  hasAny,
  isNull,
  oneOf,
  or,
} from '@loomlog/views/condition'
import { current, labelOf, type Row } from '@loomlog/views/row'

export interface Filter {
  /** Any of these speakers, or of names that look the same. */
  readonly speakers?: readonly string[]
  /** Any of these conversations. Documents belong to none and are left out. */
  readonly conversations?: readonly string[]
  /** Uttered or happened at or after this time, in ms since the epoch. */
  readonly from?: number
  /** Uttered or happened before this time, in ms since the epoch. */
  readonly to?: number
  /** All of these labels of the writer. Only utterances have labels. */
  readonly metadata?: { readonly [label: string]: string }
}

export interface AsOf {
  /** Event time, in ms since the epoch. */
  readonly trueAt?: number
  /** Log time, in ms since the epoch. */
  readonly knownAt?: number
}

export interface Scope {
  readonly filter: Filter
  readonly asOf: AsOf
}

/** The moment of the request: statements that are dated later don't hold yet. */
export function momentOf({ trueAt, knownAt }: AsOf): number {
  return trueAt ?? knownAt ?? Date.now()
}

/** The rows of any table that are in scope. */
export function conditionOf({ filter, asOf }: Scope): Condition<Row> {
  return and(asOfCondition(asOf), filterCondition(filter))
}

/** Entries that are retired and in scope otherwise. */
export function endedCondition({ filter, asOf: { knownAt } }: Scope): Condition<Row> {
  const known = knownAt === undefined ? [] : [atMost('knownFrom', knownAt)]
  return and(after('knownTo', 0), ...known, filterCondition(filter))
}

function filterCondition({ speakers = [], conversations = [], from, to, metadata = {} }: Filter): Condition<Row> {
  const conditions: Condition<Row>[] = []
  if (speakers.length > 0) conditions.push(hasAny('speakers', speakers.map(alikeName)))
  if (conversations.length > 0) conditions.push(oneOf('conversation', conversations.flatMap(formsOf)))
  if (from !== undefined) conditions.push(atOrFrom(atLeast, from))
  if (to !== undefined) conditions.push(atOrFrom(before, to))
  for (const [name, value] of Object.entries(metadata))
    conditions.push(
      hasAny(
        'labels',
        formsOf(name).map((form) => labelOf(form, value)),
      ),
    )
  return and(...conditions)
}

/** The name as it is given, and as a new name is stored: logs may hold older names in another form. */
function formsOf(name: string): readonly string[] {
  const same = sameName(name)
  return same === name ? [name] : [name, same]
}

/** Compares the time of a row. An entry has none, so the time from which it holds is compared. */
function atOrFrom(compare: typeof before, time: number): Condition<Row> {
  return or(compare('at', time), and(isNull('at'), compare('validFrom', time)))
}

function asOfCondition({ trueAt, knownAt }: AsOf): Condition<Row> {
  const known = knownAt === undefined ? current : or(current, after('knownTo', knownAt))
  const conditions: Condition<Row>[] = [trueAt === undefined ? known : or(known, after('validTo', trueAt))]
  if (knownAt !== undefined) conditions.push(atMost('knownFrom', knownAt))
  if (trueAt !== undefined) {
    const begun = or(isNull('at'), atMost('at', trueAt))
    conditions.push(or(atMost('validFrom', trueAt), and(isNull('validFrom'), begun)))
  }
  return and(...conditions)
}

/** The rule of `conditionOf`, for an utterance that is in the log and in no view yet. */
export function isInScope(utterance: UtteranceAppended, { filter, asOf }: Scope): boolean {
  const { speakers = [], conversations = [], from = -Infinity, to = Infinity, metadata = {} } = filter
  const { trueAt = Infinity, knownAt = Infinity } = asOf
  const speaker = alikeName(utterance.speaker)
  return (
    utterance.at <= trueAt &&
    utterance.appendedAt <= knownAt &&
    utterance.at >= from &&
    utterance.at < to &&
    (speakers.length === 0 || speakers.some((wanted) => alikeName(wanted) === speaker)) &&
    (conversations.length === 0 || conversations.flatMap(formsOf).includes(utterance.conversation)) &&
    Object.entries(metadata).every(([label, value]) =>
      formsOf(label).some((form) => utterance.metadata[form] === value),
    )
  )
}
