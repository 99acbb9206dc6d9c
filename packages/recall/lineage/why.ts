/**
 * Why a memory says what it says: its lineage, from the memory down to the utterances, each with the derivation and method that
 * made it and the place in the log where it stands.
 */
import { LoomlogError } from '@loomlog/errors'
import { wordsOf } from '@loomlog/schemas/words'
import type { TableName } from '@loomlog/views/catalogue'
import { sql } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { FoundRow } from '@loomlog/views/row'
import { payloadOf } from '../memory.ts'
import { readTail, type TailOptions } from '../search/log-tail.ts'
import { readingViews } from '../search/view-failures.ts'

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

/** Entries of a document that are gone into. */
const maxEntries = 200

/** From what is derived last to what was said first, so that a cause is found in a table after its effect. */
const order: readonly (readonly [table: TableName, kind: string])[] = [
  ['documents', 'document'],
  ['entries', 'entry'],
  ['links', 'link'],
  ['events', 'event'],
  ['facts', 'fact'],
  ['boxes', 'box'],
  ['utterances', 'utterance'],
]

/** @param space `tenant/space` @throws LoomlogError `not-found`, `view-corrupt` */
export async function why(id: string, space: string, options: TailOptions): Promise<Lineage> {
  const found = await readingViews(
    options.views,
    async () => (await lineageInTail(id, space, options)) ?? lineageOf(id, space, options.views, new Map()),
  )
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

/** `known` holds what was met before; null also while it is being looked into, so that a circle, which no stage makes, would end. */
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
  const { row, kind, source, partition } = place
  const { lineage, topic, correction } = payloadOf(row)
  const causes: Lineage[] = []
  for (const cause of kind === 'document' ? await entriesOf(id, space, views) : causesOf(row)) {
    const found = await lineageOf(cause, space, views, known)
    if (found) causes.push(found)
  }
  const found: Lineage = {
    id,
    kind: correction ? 'correction' : kind,
    text: kind === 'box' ? (topic ?? '') : row.text,
    derivation: lineage?.derivation ?? null,
    method: lineage?.method ?? null,
    completions: lineage?.completions ?? [],
    record: { topic: source, partition, offset: row.offset },
    causes,
  }
  known.set(id, found)
  return found
}

/** A document is what its entries say; the event that described it last knows only the fact that came last. */
async function entriesOf(document: string, space: string, views: ViewReader): Promise<readonly string[]> {
  const view = await views.view('entries', space)
  const where = sql`known_to IS NULL AND payload LIKE ${`%"document":"${document}"%`}`
  const entries = (await view?.shard.scan('entries', { space, where, limit: maxEntries })) ?? []
  return entries.map((entry) => entry.id)
}

/** The causes it names itself; a box's are its own utterances, whatever event it was that sealed it. */
function causesOf(row: FoundRow): readonly string[] {
  const { utterances, lineage } = payloadOf(row)
  return (utterances?.map((said) => said.id) ?? lineage?.causes ?? []).filter((cause) => cause !== row.id)
}

async function findRow(id: string, space: string, views: ViewReader) {
  for (const [table, kind] of order) {
    const view = await views.view(table, space)
    const [row] = (await view?.shard.byIds(table, { space, ids: [id] })) ?? []
    if (view && row) return { row, kind, source: view.source, partition: view.partition }
  }
  return null
}
