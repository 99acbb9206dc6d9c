/**
 * What came of a memory: everything downstream of an utterance, box, fact, event or entry, the other direction of `why`. What cites it
 * as evidence is told from what was only made from a question that it was part of: the facts of a box were all found by one ask, and
 * each cites its own lines.
 */
import { LoomlogError } from '@loomlog/errors'
import type { ViewReader } from '@loomlog/views/reader'
import type { Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { tables } from '@loomlog/views/tables'
import { readTail, type TailOptions } from '../search/log-tail.ts'

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

/** @param space `tenant/space` @throws LoomlogError `not-found`, `view-corrupt` */
export async function impact(id: string, space: string, options: TailOptions): Promise<Impact> {
  const found = await effectsOf(id, space, options.views)
  if (found.isThere) return { id, effects: found.effects }
  const inTail = (await readTail(space, options)).some(({ event }) => event.id === id)
  if (inTail) return { id, effects: [] }
  throw new LoomlogError(
    'not-found',
    `no memory ${id} in ${space}: expected the id of an utterance, box, fact, event, link or entry`,
  )
}

type Cause = Pick<Effect, 'by' | 'from'>

async function effectsOf(id: string, space: string, views: ViewReader) {
  /** How each row that is reached depends on the first. */
  const reached = new Map<string, Effect['by']>([[id, 'evidence']])
  /** By table and by id, in the order in which they were reached: the rows that the reached rows are parts of. */
  const wholes = new Map<Table, Map<string, Cause>>()
  const effects: Effect[] = []
  let isThere = false
  // A cause comes before its effects; a whole comes after its parts.
  for (const table of tables as readonly Table[]) {
    if (table.partsIn !== null) {
      effects.push(...(await wholesIn(table, wholes.get(table) ?? new Map(), space, views)))
      continue
    }
    for (const row of await views.scan(table, { space, limit: maxRows })) {
      if (row.id === id) isThere = true
      const cause = row.id === id ? null : causeOf(row, table, reached)
      if (cause === null) continue
      reached.set(row.id, cause.by)
      effects.push(effectOf(row, table, cause, views))
      notePart(row, table, cause, wholes)
    }
  }
  return { isThere, effects }
}

/** The rows that consist of reached rows, as the documents that their entries stand in. */
async function wholesIn(table: Table, causes: ReadonlyMap<string, Cause>, space: string, views: ViewReader) {
  const rows = await views.byIds(table, space, [...causes.keys()])
  return rows.map((row) => effectOf(row, table, causes.get(row.id) as Cause, views))
}

function notePart(row: Row, part: Table, { by }: Cause, wholes: Map<Table, Map<string, Cause>>): void {
  for (const table of tables as readonly Table[]) {
    if (table.partsIn?.table !== part) continue
    const causes = wholes.get(table) ?? new Map<string, Cause>()
    const whole = table.partsIn.wholeOf(row)
    if (!causes.has(whole)) wholes.set(table, causes.set(whole, { from: row.id, by }))
  }
}

/** The evidence it cites counts before the context it was made from. */
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
    ...{ id: row.id, kind, text, by, from },
    derivation: row.lineage?.derivation ?? null,
    method: row.lineage?.method ?? null,
    completions: row.lineage?.completions ?? [],
    holds: row.knownTo === null ? 'now' : 'no longer',
    record: { ...views.origin(table, row.space), offset: row.offset },
  }
}
