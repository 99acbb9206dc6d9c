/**
 * The impact of a memory: all memories derived from an utterance, box, fact or entry, the inverse of `why`. It
 * distinguishes memories that cite it as evidence from those whose ask only contained it: one ask finds all facts of a
 * box, and each cites its own lines.
 */
import { everyRow } from '@loomlog/views/every-row'
import { lookUp } from '@loomlog/views/look-up'
import type { ViewReader } from '@loomlog/views/reader'
import type { Rebuild } from '@loomlog/views/rebuilds'
import type { Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { readDespiteDamage } from '../damage-tolerance.ts'
import { readTail, type TailOptions } from '../search/log-tail.ts'

export interface Effect {
  readonly id: string
  /** box, fact, link, entry or document. */
  readonly kind: string
  readonly text: string
  /** `evidence`: it cites the memory, directly or through others; `context`: the memory was only part of its ask. */
  readonly by: 'evidence' | 'context'
  /** Id of the direct cause: the memory itself, or another effect of it. */
  readonly from: string
  readonly derivation: string | null
  /** `rules`, or the name of the model. */
  readonly method: string | null
  /** Keys of the recorded answers that it was derived with. */
  readonly completions: readonly string[]
  /** Whether it is current or retired. */
  readonly holds: 'now' | 'no longer'
  /** Its record in the log. */
  readonly record: { readonly topic: string; readonly partition: number; readonly offset: number }
}

export interface Impact {
  readonly id: string
  /** In the order of the stages. */
  readonly effects: readonly Effect[]
  /**
   * The shards that lack records because they are built or rebuilt: effects may be missing. Present only if there are
   * any.
   */
  readonly rebuilding?: readonly Rebuild[]
}

/**
 * @param space `tenant/space`
 * @throws LoomlogError `not-found`; `views-behind` for an unknown id while a view is behind; `view-corrupt`
 */
export async function impact(id: string, space: string, options: TailOptions): Promise<Impact> {
  const { views } = options
  const expected = 'an utterance, box, fact, link or entry'
  return await lookUp({ ...options, name: `memory ${id}`, space, expected }, async () => {
    const { isKnown, ...found } = await readDespiteDamage([space], views, async () => {
      const { isThere, effects } = await effectsOf(id, space, views)
      return { isKnown: isThere || (await readTail(space, options)).some(({ event }) => event.id === id), id, effects }
    })
    return isKnown ? found : null
  })
}

type Cause = Pick<Effect, 'by' | 'from'>

async function effectsOf(id: string, space: string, views: ViewReader) {
  /** By id of a reached row, how it depends on the memory. */
  const reached = new Map<string, Effect['by']>([[id, 'evidence']])
  /** By table and id, in the order of discovery: the rows that consist of reached rows. */
  const wholes = new Map<Table, Map<string, Cause>>()
  const effects: Effect[] = []
  let isThere = false
  // A cause comes before its effects; a whole comes after its parts.
  for (const table of views.tables) {
    if (table.partsIn !== null) {
      for (const effect of await wholesIn(table, wholes.get(table) ?? new Map(), space, views)) effects.push(effect)
      continue
    }
    for await (const row of everyRow(views, table, { space })) {
      if (row.id === id) isThere = true
      const cause = row.id === id ? null : causeOf(row, table, reached)
      if (cause === null) continue
      reached.set(row.id, cause.by)
      effects.push(effectOf(row, table, cause, views))
      notePart(row, table, cause, { wholes, tables: views.tables })
    }
  }
  return { isThere, effects }
}

/** The rows that consist of reached rows, as a document consists of its entries. */
async function wholesIn(table: Table, causes: ReadonlyMap<string, Cause>, space: string, views: ViewReader) {
  const rows = await views.byIds(table, space, [...causes.keys()])
  return rows.map((row) => effectOf(row, table, causes.get(row.id) as Cause, views))
}

interface WholeCauses {
  readonly wholes: Map<Table, Map<string, Cause>>
  readonly tables: readonly Table[]
}

function notePart(row: Row, part: Table, { by }: Cause, { wholes, tables }: WholeCauses): void {
  for (const table of tables) {
    if (table.partsIn?.table !== part) continue
    const causes = wholes.get(table) ?? new Map<string, Cause>()
    const whole = table.partsIn.wholeOf(row)
    if (!causes.has(whole)) wholes.set(table, causes.set(whole, { from: row.id, by }))
  }
}

/** Cited evidence takes precedence over the context of the ask. */
function causeOf(row: Row, table: Table, reached: ReadonlyMap<string, Effect['by']>): Cause | null {
  const { evidence } = table
  const cited = typeof evidence === 'object' ? evidence.cited(row) : []
  const direct = cited.find((cause) => reached.get(cause) === 'evidence')
  if (direct !== undefined) return { by: 'evidence', from: direct }
  const from = [...cited, ...table.causes(row)].find((cause) => cause !== row.id && reached.has(cause))
  if (from === undefined) return null
  return { by: evidence === 'inherited' ? (reached.get(from) ?? 'context') : 'context', from }
}

function effectOf(row: Row, table: Table, { by, from }: Cause, views: ViewReader): Effect {
  const { label: kind, text } = table.lineageLine(row)
  return {
    id: row.id,
    kind,
    text,
    by,
    from,
    derivation: row.lineage?.derivation ?? null,
    method: row.lineage?.method ?? null,
    completions: row.lineage?.completions ?? [],
    holds: row.knownTo === null ? 'now' : 'no longer',
    record: { ...views.origin(table, row.space), offset: row.offset },
  }
}
