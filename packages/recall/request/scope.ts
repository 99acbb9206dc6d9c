/**
 * What a question is asked within, beside its space: filters, and the time as of which it is asked. It becomes a condition on each
 * table, so that what is out takes no place among the candidates, and the same rule is applied to utterances that no view has seen.
 *
 * Two times (event and log): *known at* hides what the log had not accepted by then, and brings back what was retired later. *True at*
 * shows what was said, had happened or had begun by then, without what had ended by then as far as is known.
 */
import type { UtteranceAppended } from '@loomlog/schemas/events'
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
  /** Any of these speakers; case doesn't count. */
  readonly speakers?: readonly string[]
  /** Any of these conversations. Documents belong to none, and are left out. */
  readonly conversations?: readonly string[]
  /** Said or happened at or after this, in ms since the epoch. */
  readonly from?: number
  /** Said or happened before this, in ms since the epoch. */
  readonly to?: number
  /** All of these labels of the writer, which utterances alone carry. */
  readonly metadata?: { readonly [label: string]: string }
}

export interface AsOf {
  /** Event time, in ms since the epoch. */
  readonly trueAt?: number
  /** Log time, in ms since the epoch. */
  readonly knownAt?: number
}

export interface Within {
  readonly filter: Filter
  readonly asOf: AsOf
}

/** The rows of any table that are in scope. */
export function conditionOn({ filter, asOf }: Within): Condition<Row> {
  const { speakers = [], conversations = [], from, to, metadata = {} } = filter
  const conditions: Condition<Row>[] = [asOfCondition(asOf)]
  if (speakers.length > 0)
    conditions.push(
      hasAny(
        'speakers',
        speakers.map((name) => name.toLowerCase()),
      ),
    )
  if (conversations.length > 0) conditions.push(oneOf('conversation', conversations))
  if (from !== undefined) conditions.push(atOrFrom(atLeast, from))
  if (to !== undefined) conditions.push(atOrFrom(before, to))
  for (const [name, value] of Object.entries(metadata)) conditions.push(hasAny('labels', [labelOf(name, value)]))
  return and(...conditions)
}

/** Compares when it was said or, for an entry, which has no such time, from when it holds. */
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

/** The same for an utterance that is in the log and in no view yet. */
export function holdsFor(said: UtteranceAppended, { filter, asOf }: Within): boolean {
  const { speakers = [], conversations = [], from = -Infinity, to = Infinity, metadata = {} } = filter
  const { trueAt = Infinity, knownAt = Infinity } = asOf
  const speaker = said.speaker.toLowerCase()
  return (
    said.at <= trueAt &&
    said.appendedAt <= knownAt &&
    said.at >= from &&
    said.at < to &&
    (speakers.length === 0 || speakers.some((wanted) => wanted.toLowerCase() === speaker)) &&
    (conversations.length === 0 || conversations.includes(said.conversation)) &&
    Object.entries(metadata).every(([label, value]) => said.metadata[label] === value)
  )
}
