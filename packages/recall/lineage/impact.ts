/**
 * What came of a memory: everything downstream of an utterance, box, fact, event or entry, the other direction of `why`. What cites it
 * as evidence is told from what was only made from a question that it was part of: the facts of a box were all found by one ask, and
 * each cites its own lines.
 */
import { LoomlogError } from '@loomlog/errors'
import type { TableName } from '@loomlog/views/catalogue'
import type { ViewReader } from '@loomlog/views/reader'
import type { FoundRow } from '@loomlog/views/row'
import { payloadOf } from '../memory.ts'
import { readTail, type TailOptions } from '../search/log-tail.ts'
import { readingViews } from '../search/view-failures.ts'

export interface Effect {
  readonly id: string
  /** box, fact, event, link, entry or document. */
  readonly kind: string
  readonly text: string
  /** `evidence`: it cites the memory, or what cites it; `context`: the memory was part of what it was made from. */
  readonly by: 'evidence' | 'context'
  /** What of the memory's effects it was made from directly; the memory itself at first. */
  readonly from: string
  readonly derivation: string | null
  /** `rules`, or the model that answered. */
  readonly method: string | null
  /** Keys of the recorded answers it used. */
  readonly completions: readonly string[]
  /** Does it hold now, or was it retired? */
  readonly holds: 'now' | 'no longer'
  /** Where its record stands in the log. */
  readonly record: { readonly topic: string; readonly partition: number; readonly offset: number }
}

export interface Impact {
  readonly id: string
  /** In the order of the stages. */
  readonly effects: readonly Effect[]
}

/** Rows of a space that are looked through, a table. */
const maxRows = 200_000

/** A cause stands before its effects; an entry is followed by its document. */
const order: readonly (readonly [table: TableName, kind: string])[] = [
  ['utterances', 'utterance'],
  ['boxes', 'box'],
  ['facts', 'fact'],
  ['events', 'event'],
  ['links', 'link'],
  ['entries', 'entry'],
]

/** @param space `tenant/space` @throws LoomlogError `not-found`, `view-corrupt` */
export async function impact(id: string, space: string, options: TailOptions): Promise<Impact> {
  const found = await readingViews(options.views, () => effectsOf(id, space, options.views))
  if (found.isThere) return { id, effects: found.effects }
  const inTail = (await readTail(space, options)).some(({ event }) => event.id === id)
  if (inTail) return { id, effects: [] }
  throw new LoomlogError(
    'not-found',
    `no memory ${id} in ${space}: expected the id of an utterance, box, fact, event, link or entry`,
  )
}

async function effectsOf(id: string, space: string, views: ViewReader) {
  /** How each memory that is reached hangs together with the first. */
  const reached = new Map<string, Effect['by']>([[id, 'evidence']])
  const effects: Effect[] = []
  const documents = new Map<string, { readonly from: string; readonly by: Effect['by'] }>()
  let isThere = false
  for (const [table, kind] of order) {
    const view = await views.view(table, space)
    for (const row of (await view?.shard.scan(table, { space, limit: maxRows })) ?? []) {
      if (row.id === id) isThere = true
      const cause = row.id === id ? null : causeOf(row, reached)
      if (view === null || cause === null) continue
      reached.set(row.id, cause.by)
      effects.push(effectOf(row, { kind, ...cause, source: view.source, partition: view.partition }))
      const { document } = payloadOf(row)
      if (document !== undefined && !documents.has(document)) documents.set(document, { from: row.id, by: cause.by })
    }
  }
  return { isThere, effects: [...effects, ...(await documentsOf(documents, space, views))] }
}

/** The documents that its lines stand in. */
async function documentsOf(
  documents: ReadonlyMap<string, Pick<Effect, 'from' | 'by'>>,
  space: string,
  views: ViewReader,
): Promise<readonly Effect[]> {
  const view = await views.view('documents', space)
  const rows = (await view?.shard.byIds('documents', { space, ids: [...documents.keys()] })) ?? []
  return rows.flatMap((row) => {
    const cause = documents.get(row.id)
    if (view === null || cause === undefined) return []
    return [effectOf(row, { kind: 'document', ...cause, source: view.source, partition: view.partition })]
  })
}

/** The evidence it cites counts before the context it was made from. */
function causeOf(row: FoundRow, reached: ReadonlyMap<string, Effect['by']>) {
  const { sources, utterances, facts, lineage } = payloadOf(row)
  const cited = [...(sources ?? []), ...(facts ?? []), ...(utterances?.map((said) => said.id) ?? [])]
  const evidence = cited.find((cause) => reached.get(cause) === 'evidence')
  if (evidence !== undefined) return { by: 'evidence' as const, from: evidence }
  // What sealed a box is no part of it.
  const causes = utterances === undefined ? (lineage?.causes ?? []) : []
  const from = [...cited, ...causes].find((cause) => cause !== row.id && reached.has(cause))
  if (from === undefined) return null
  // Links and events name no evidence of their own beyond their cause.
  const inherits = sources === undefined && facts === undefined && reached.get(from) === 'evidence'
  return { by: inherits ? ('evidence' as const) : ('context' as const), from }
}

function effectOf(
  row: FoundRow,
  at: Pick<Effect, 'kind' | 'by' | 'from'> & { readonly source: string; readonly partition: number },
): Effect {
  const { lineage, topic } = payloadOf(row)
  const { kind, by, from, source, partition } = at
  return {
    id: row.id,
    kind,
    text: kind === 'box' ? (topic ?? '') : row.text,
    by,
    from,
    derivation: lineage?.derivation ?? null,
    method: lineage?.method ?? null,
    completions: lineage?.completions ?? [],
    holds: row.knownTo === null ? 'now' : 'no longer',
    record: { topic: source, partition, offset: row.offset },
  }
}
