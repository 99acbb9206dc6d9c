/**
 * What a question is asked within, beside its space: filters, and the time as of which it is asked. It becomes a condition on each
 * table, so that what is out takes no place among the candidates, and the same rule is applied to utterances that no view has seen.
 *
 * Two times (event and log): *known at* hides what the log had not accepted by then, and brings back what was retired later. *True at*
 * shows what was said, had happened or had begun by then, without what had ended by then as far as is known.
 */
import type { UtteranceAppended } from '@loomlog/schemas/events'
import type { TableName } from '@loomlog/views/catalogue'
import { type Condition, sql } from '@loomlog/views/condition'

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

/** What of a table's rows may be found. */
export function conditionOn(table: TableName, { filter, asOf }: Within): Condition {
  const { speakers = [], conversations = [], from, to, metadata = {} } = filter
  const conditions: Condition[] = [asOfCondition(asOf)]
  if (speakers.length > 0) conditions.push(any(speakers.map(spokenBy)))
  if (conversations.length > 0) conditions.push(sql`conversation IN ${conversations}`)
  if (from !== undefined) conditions.push(sql`coalesce(at, valid_from) >= ${from}`)
  if (to !== undefined) conditions.push(sql`coalesce(at, valid_from) < ${to}`)
  const labels = Object.entries(metadata)
  if (labels.length > 0) conditions.push(table === 'utterances' ? all(labels.map(labelled)) : sql`${1} = ${0}`)
  return all(conditions)
}

function asOfCondition({ trueAt, knownAt }: AsOf): Condition {
  const current = knownAt === undefined ? sql`known_to IS NULL` : sql`known_to IS NULL OR known_to > ${knownAt}`
  const conditions = [trueAt === undefined ? current : sql`${current} OR valid_to > ${trueAt}`]
  if (knownAt !== undefined) conditions.push(sql`known_from <= ${knownAt}`)
  if (trueAt !== undefined) conditions.push(sql`coalesce(valid_from, at, ${trueAt}) <= ${trueAt}`)
  return all(conditions)
}

/** A derived row names all its speakers, after commas. */
function spokenBy(speaker: string): Condition {
  return sql`strpos(lower(concat(', ', speaker, ', ')), ${`, ${speaker.toLowerCase()}, `}) > 0`
}

/** An utterance's payload ends with its labels; inside texts quotes are escaped, so neither mark is found there. */
function labelled([label, value]: readonly [string, string]): Condition {
  const pair = `${JSON.stringify(label)}:${JSON.stringify(value)}`
  return sql`strpos(substr(payload, strpos(payload, ${',"metadata":{'})), ${pair}) > 0`
}

function all(conditions: readonly Condition[]): Condition {
  return joined(conditions, (left, right) => sql`${left} AND ${right}`)
}

function any(conditions: readonly Condition[]): Condition {
  return joined(conditions, (left, right) => sql`${left} OR ${right}`)
}

/** By halves: LanceDB's parser refuses conditions that nest deeper than some forty. */
function joined(conditions: readonly Condition[], join: (left: Condition, right: Condition) => Condition): Condition {
  const [only] = conditions
  if (conditions.length === 1 && only !== undefined) return only
  const half = Math.ceil(conditions.length / 2)
  return join(joined(conditions.slice(0, half), join), joined(conditions.slice(half), join))
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
