/**
 * The lineage of a memory, from the memory down to the utterances, each with its derivation, its method and its record
 * in the log.
 */
import { utteranceText } from '@loomlog/schemas/utterance-text'
import { and } from '@loomlog/views/condition'
import { lookUp } from '@loomlog/views/look-up'
import type { ViewReader } from '@loomlog/views/reader'
import { current, type Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { readTail, type TailOptions } from '../search/log-tail.ts'

export interface Lineage {
  readonly id: string
  /** utterance, correction, box, fact, link, entry or document. */
  readonly kind: string
  readonly text: string
  /** Null for an utterance. */
  readonly derivation: string | null
  /** `rules`, or the name of the model; null for an utterance. */
  readonly method: string | null
  /** Keys of the recorded answers that it was derived with. */
  readonly completions: readonly string[]
  /** Its record in the log. */
  readonly record: { readonly topic: string; readonly partition: number; readonly offset: number }
  /** The memories it was derived from. */
  readonly causes: readonly Lineage[]
}

/** Parts of a row that are followed, such as the entries of a document. */
const maxParts = 200

/** @param space `tenant/space` @throws LoomlogError `not-found`, `view-corrupt`, `views-behind` */
export async function why(id: string, space: string, options: TailOptions): Promise<Lineage> {
  const expected = 'an utterance, box, fact, link, entry or document'
  return await lookUp(
    { ...options, name: `memory ${id}`, space, expected },
    async () => (await lineageInTail(id, space, options)) ?? (await lineageOf(id, space, options.views, new Map())),
  )
}

/** The lineage of an utterance that is in no view yet. */
async function lineageInTail(id: string, space: string, options: TailOptions): Promise<Lineage | null> {
  const found = (await readTail(space, options)).find(({ event }) => event.id === id)
  if (!found) return null
  const { topic, partition, offset } = found.record
  const text = `${found.event.speaker}: ${utteranceText(found.event)}`
  const origin = { derivation: null, method: null, completions: [], causes: [] }
  return { id, kind: 'utterance', text, ...origin, record: { topic, partition, offset } }
}

/** @param known visited rows; null for a missing row, and for one under way, so that a cycle ends */
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
    id,
    kind,
    text,
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
  // The last stage first: an effect is in a later table than its cause.
  for (const table of views.tables.toReversed()) {
    const [row] = await views.byIds(table, space, [id])
    if (row) return { row, table }
  }
  return null
}
