/**
 * The memories of a space by kind, from its views: a kind is a view table, the profiles among the documents, or the
 * events among the facts.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { checkedName } from '@loomlog/intake/utterance'
import { readTail, type TailOptions } from '@loomlog/recall/log-tail'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { after, and, before, type Condition, equals, or } from '@loomlog/views/condition'
import { lookUp } from '@loomlog/views/look-up'
import type { ViewReader } from '@loomlog/views/reader'
import { current, type Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { ofProfiles } from '@loomlog/views/tables/entries'
import { areEvents } from '@loomlog/views/tables/facts'
import { cursorOf, type PageRequest, sortKeyFrom } from './page-cursor.ts'

/** Columns of the views that are no part of a memory. */
const internal: ReadonlySet<string> = new Set([
  'vector',
  'deleted',
  'offset',
  'speakers',
  'lineage',
  'seq',
  'ordinal',
  'space',
])

export interface MemoryPage {
  readonly memories: readonly object[]
  readonly next: string | null
}

export interface MemoryList extends PageRequest {
  readonly kind: string
  /** `current`: not retired. */
  readonly state: 'current' | 'all'
  readonly conversation?: string
  /** By the time at which the memory learned them. */
  readonly order: 'oldest' | 'newest'
}

/** `utterances` holds utterances, `entries` an entry: the singular of each table's name. */
export function kindOf({ name }: Table): string {
  return name.replace(/ies$/, 'y').replace(/xes$/, 'x').replace(/s$/, '')
}

/** @throws LoomlogError `input-invalid` */
export async function memoryPage(asked: MemoryList, space: string, views: ViewReader): Promise<MemoryPage> {
  const { kind, state, limit, conversation, order } = asked
  const part = parts.get(kind)
  const table = views.tables.find((each) => kindOf(each) === (part?.of ?? kind))
  if (table === undefined)
    throw invalidInput('kind', kind, `one of ${[...views.tables.map(kindOf), ...parts.keys()].join(', ')}`)
  const list = JSON.stringify([space, kind, state, conversation, ...(order === 'newest' ? [order] : [])])
  const key = sortKeyFrom(list, asked, ['number', 'string'])
  const [knownFrom, id] = (key ?? []) as readonly [number, string]
  const beyond = order === 'newest' ? before : after
  const where = and(
    ...(state === 'current' ? [current] : []),
    ...(part === undefined ? [] : [part.where]),
    ...(conversation === undefined ? [] : [equals('conversation', checkedName(conversation, 'conversation'))]),
    ...(key === null
      ? []
      : [or(beyond('knownFrom', knownFrom), and(equals('knownFrom', knownFrom), beyond('id', id)))]),
  )
  const rows = await views.scan(table, { space, where, limit: limit + 1, orderBy: byTimeKnown[order] })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    memories: page.map((row) => memoryOf(row, table)),
    next: rows.length > limit && last ? cursorOf(list, [last.knownFrom, last.id]) : null,
  }
}

/** The kinds that are a part of another kind's table, whose columns their conditions name. */
const parts: ReadonlyMap<string, { readonly of: string; readonly where: Condition<Row> }> = new Map([
  ['profile', { of: 'document', where: ofProfiles as Condition<never> as Condition<Row> }],
  ['event', { of: 'fact', where: areEvents as Condition<never> as Condition<Row> }],
])

const byTimeKnown = { oldest: timeKnown('ascending'), newest: timeKnown('descending') }

function timeKnown(direction: 'ascending' | 'descending') {
  return [
    { by: 'knownFrom', direction },
    { by: 'id', direction },
  ] as const
}

/**
 * The memory of an id. An utterance that is in no view yet is read from the log.
 * @throws LoomlogError `not-found`, `views-behind`
 */
export async function memoryById(id: string, space: string, options: TailOptions): Promise<object> {
  const { views } = options
  return await lookUp({ name: `memory ${id}`, space, views }, async () => {
    const inView = await rowById(id, space, views)
    if (inView !== null) return memoryOf(inView.row, inView.table)
    const found = (await readTail(space, options)).find(({ event }) => event.id === id)
    return found === undefined ? null : memoryOfTail(found.event)
  })
}

function memoryOfTail(event: UtteranceAppended): object {
  const { id, speaker, text, conversation, role, at, attachments, canInstruct, appendedAt } = event
  const origin = { derivation: null, method: null, sources: [id], knownFrom: appendedAt, knownTo: null }
  const words = { text: `${speaker}: ${text}`, conversation, speaker, role, at, attachments, canInstruct }
  return { id, kind: 'utterance', ...words, ...origin }
}

/** Later stages first: an effect is in a later table than its cause. */
export async function rowById(
  id: string,
  space: string,
  views: ViewReader,
): Promise<{ readonly row: Row; readonly table: Table } | null> {
  for (const table of views.tables.toReversed()) {
    const [row] = await views.byIds(table, space, [id])
    if (row) return { row, table }
  }
  return null
}

/** `kind` is the kind of the table. A column of this name becomes `type`. */
export function memoryOf(row: Row, table: Table): object {
  const columns = Object.entries(row).filter(([name]) => !internal.has(name))
  const { kind: type, ...fields } = Object.fromEntries(columns)
  const { derivation = null, method = null } = row.lineage ?? {}
  return { ...fields, kind: kindOf(table), ...(type !== undefined && { type }), derivation, method }
}
