/**
 * Why a memory says what it says: its lineage, from the memory down to the utterances, each with the derivation and method that
 * made it and the place in the log where it stands.
 */
import { LoomlogError } from '@loomlog/errors'
import { wordsOf } from '@loomlog/schemas/words'
import { and } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { current, type Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { tables } from '@loomlog/views/tables'
import { readTail, type TailOptions } from '../search/log-tail.ts'

export interface Lineage {
  readonly id: string
  /** utterance, correction, box, fact, event, link, entry or document. */
  readonly kind: string
  readonly text: string
  /** Null for what was simply said. */
  readonly derivation: string | null
  /** `rules`, or the model that answered; null for what was simply said. */
  readonly method: string | null
  /** Keys of the recorded answers it used. */
  readonly completions: readonly string[]
  /** Where its record stands in the log. */
  readonly record: { readonly topic: string; readonly partition: number; readonly offset: number }
  /** What it came from. */
  readonly causes: readonly Lineage[]
}

/** Parts of a row, as the entries of a document, that are gone into. */
const maxParts = 200

/** Derived last comes first, so that a cause is found in a table after its effect. */
const order: readonly Table[] = tables.toReversed()

/** @param space `tenant/space` @throws LoomlogError `not-found`, `view-corrupt` */
export async function why(id: string, space: string, options: TailOptions): Promise<Lineage> {
  const found = (await lineageInTail(id, space, options)) ?? (await lineageOf(id, space, options.views, new Map()))
  if (found) return found
  throw new LoomlogError(
    'not-found',
    `no memory ${id} in ${space}: expected the id of an utterance, box, fact, event, link, entry or document`,
  )
}

/** An utterance that no view has seen yet. */
async function lineageInTail(id: string, space: string, options: TailOptions): Promise<Lineage | null> {
  const found = (await readTail(space, options)).find(({ event }) => event.id === id)
  if (!found) return null
  const { topic, partition, offset } = found.record
  const said = `${found.event.speaker}: ${wordsOf(found.event)}`
  const origin = { derivation: null, method: null, completions: [], causes: [] }
  return { id, kind: 'utterance', text: said, ...origin, record: { topic, partition, offset } }
}

/** `known` holds the rows met before; null also while a row is being looked into, so that a circle, which no stage makes, would end. */
async function lineageOf(
  id: string,
  space: string,
  views: ViewReader,
  known: Map<string, Lineage | null>,
): Promise<Lineage | null> {
  const before = known.get(id)
  if (before !== undefined) return before
  known.set(id, null)
  const place = await findRow(id, space, views)
  if (place === null) return null
  const { row, table } = place
  const causes: Lineage[] = []
  for (const cause of await causesOf(row, table, views)) {
    const found = await lineageOf(cause, space, views, known)
    if (found) causes.push(found)
  }
  const { label: kind, text } = table.lineageLine(row)
  const found: Lineage = {
    ...{ id, kind, text },
    derivation: row.lineage?.derivation ?? null,
    method: row.lineage?.method ?? null,
    completions: row.lineage?.completions ?? [],
    record: { ...views.origin(table, space), offset: row.offset },
    causes,
  }
  known.set(id, found)
  return found
}

async function causesOf(row: Row, table: Table, views: ViewReader): Promise<readonly string[]> {
  const { id, space } = row
  if (table.partsIn === null) return table.causes(row).filter((cause) => cause !== id)
  const where = and(current, table.partsIn.partsOf(id))
  return (await views.scan(table.partsIn.table, { space, where, limit: maxParts })).map((part) => part.id)
}

async function findRow(id: string, space: string, views: ViewReader) {
  for (const table of order) {
    const [row] = await views.byIds(table, space, [id])
    if (row) return { row, table }
  }
  return null
}
