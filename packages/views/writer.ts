/**
 * The one writer of a shard: an actor in whose lane every merge and every optimize runs, one after the other. A batch is one
 * merge: its rows and the watermark are committed together or not at all, so a writer that dies goes on from the watermark
 * with nothing missing, doubled or ahead of it.
 *
 * Opening a writer fences the one before it: whatever that one tries afterwards throws `fenced` and changes nothing.
 */
import type { Table } from '@lancedb/lancedb'
import { LoomlogError } from '@loomlog/errors'
import { crashPoint } from '@loomlog/log/crash-points'
import { changeOffset, fold, keysToRead, type RowChange } from './change.ts'
import { sql } from './condition.ts'
import {
  mergeCondition,
  raiseEpoch,
  readWatermark,
  sameWatermark,
  type VectorSpace,
  type Watermark,
  watermarkKey,
  watermarkRow,
} from './fence.ts'
import { type Maintenance, maintenanceOf, type TableHealth } from './maintenance.ts'
import { decodeRows, decodeVectors, encodeRows, type Row, rowKey } from './row.ts'
import { buildIndexes } from './table.ts'

export interface Batch {
  readonly table: string
  /** In log order; each from a record before `watermark`. */
  readonly changes: readonly RowChange[]
  /** The next offset of the source partition: everything before it is in the table after this batch. */
  readonly watermark: number
}

export interface Applied {
  /** The table's watermark now. */
  readonly watermark: number
  /** Rows written; 0 for a batch that the table already held. */
  readonly rows: number
}

export interface Writer {
  /**
   * Applies a batch; durable on return. Changes below the table's watermark are replays and are left out, and so is a batch
   * that ends at or below it. @throws LoomlogError `fenced`; `log-unavailable`, after which the batch may be tried again
   */
  apply(batch: Batch): Promise<Applied>
  /** Compacts and indexes now, without waiting for the thresholds. */
  optimize(): Promise<void>
  /** Builds every index anew, for when one is broken. */
  rebuildIndexes(): Promise<void>
  /** After a forgetting: rewrites the tables and drops their earlier versions, so that no file holds what was removed. */
  erase(): Promise<void>
  health(): Promise<ReadonlyMap<string, TableHealth & Watermark>>
  /** Waits for what is under way. */
  close(): Promise<void>
}

interface Held {
  readonly table: Table
  readonly maintenance: Maintenance
  mark: Watermark
}

/** @param writer named at random, as it stands in the watermark rows of the tables that it made itself */
export async function openWriter(
  tables: ReadonlyMap<string, Table>,
  { vectorSpace, name: us }: { readonly vectorSpace: VectorSpace; readonly name: string },
): Promise<Writer> {
  const held = new Map<string, Held>()
  for (const [name, table] of tables) {
    const mark = await takeOver(table, vectorSpace, us)
    await buildIndexes(table, 'missing')
    held.set(name, { table, mark, maintenance: await maintenanceOf(table, mark.offset === 0 ? 'empty' : 'used') })
  }
  const inLane = lane()

  async function everywhere(work: (maintenance: Maintenance) => Promise<void>): Promise<void> {
    for (const { maintenance } of held.values()) await inLane(() => work(maintenance))
  }

  return {
    async apply(batch) {
      const target = held.get(batch.table)
      if (!target) throw new Error(`this shard has no table ${batch.table}`)
      const applied = await inLane(() => applyBatch(target, batch, vectorSpace))
      // Not awaited: the batch is durable, and whatever comes next waits its turn in the lane. A failure stands in `health`.
      if (target.maintenance.isDue()) inLane(() => runIfDue(target.maintenance)).catch(() => {})
      return applied
    },
    optimize: () => everywhere((maintenance) => maintenance.run()),
    rebuildIndexes: () => everywhere((maintenance) => maintenance.rebuildIndexes()),
    erase: () => everywhere((maintenance) => maintenance.erase()),
    async health() {
      const health = new Map<string, TableHealth & Watermark>()
      for (const [name, { mark, maintenance }] of held) health.set(name, { ...mark, ...(await maintenance.health()) })
      return health
    },
    close: () => inLane(async () => {}),
  }
}

/** Asked again in the lane, since a run queued earlier may have done the work. */
async function runIfDue(maintenance: Maintenance): Promise<void> {
  if (maintenance.isDue()) await maintenance.run()
}

async function applyBatch(held: Held, batch: Batch, vectorSpace: VectorSpace): Promise<Applied> {
  const ahead = batch.changes.find((change) => changeOffset(change) >= batch.watermark)
  if (ahead) throw new Error(`a change of offset ${changeOffset(ahead)} in a batch up to ${batch.watermark}`)
  if (batch.watermark <= held.mark.offset) return { watermark: held.mark.offset, rows: 0 }
  const changes = batch.changes.filter((change) => changeOffset(change) >= held.mark.offset)
  const rows = fold(changes, await readRows(held.table, keysToRead(changes)))
  const next = { ...held.mark, offset: batch.watermark }
  crashPoint('view.before-merge')
  await commit(held.table, held.mark, next, rows, vectorSpace)
  crashPoint('view.after-merge')
  held.mark = next
  held.maintenance.committed(rows.size + 1)
  return { watermark: next.offset, rows: rows.size }
}

/** So many keys in one filter are looked up in a few milliseconds; the statement stays small. */
const keysPerRead = 512

async function readRows(table: Table, keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
  const rows = new Map<string, Row>()
  for (let from = 0; from < keys.length; from += keysPerRead) {
    const wanted = sql`key IN ${keys.slice(from, from + keysPerRead)}`
    for await (const batch of table.query().where(wanted.text)) {
      const vectors = decodeVectors(batch)
      for (const [index, row] of decodeRows(batch).entries()) {
        rows.set(rowKey(row.space, row.id), { ...row, vector: vectors[index] ?? null })
      }
    }
  }
  return rows
}

/** A writer that commits without pause makes a take-over try again, and so does a rival; neither does so for long. */
const maxTakeOvers = 10

/** Raises the epoch in the watermark row, and so fences whoever wrote before. The offset stays what the table says. */
async function takeOver(table: Table, vectorSpace: VectorSpace, us: string): Promise<Watermark> {
  const found = await readWatermark(table, vectorSpace)
  if (found.writer === us) return found
  for (let attempt = 1; ; attempt += 1) {
    let failure: unknown
    try {
      await raiseEpoch(table, us)
    } catch (error) {
      failure = error
    }
    const now = await readWatermark(table, vectorSpace)
    if (now.writer === us) return now
    if (attempt === maxTakeOvers) {
      const code = failure === undefined ? 'fenced' : 'log-unavailable'
      throw new LoomlogError(code, `table ${table.name} could not be taken in ${attempt} tries`, { cause: failure })
    }
  }
}

async function commit(
  table: Table,
  held: Watermark,
  next: Watermark,
  rows: ReadonlyMap<string, Row>,
  vectorSpace: VectorSpace,
): Promise<void> {
  const encoded = encodeRows([[watermarkKey, watermarkRow(next, vectorSpace)], ...rows], vectorSpace.dimensions)
  const merge = table
    .mergeInsert('key')
    .whenMatchedUpdateAll({ where: mergeCondition(held) })
    .whenNotMatchedInsertAll()
  try {
    await merge.execute(encoded)
  } catch (cause) {
    // What the table says is the outcome: an error can also come after the commit. If it can't even be asked, trying the
    // same batch again finds out.
    const now = await readWatermark(table, vectorSpace).catch(() => held)
    if (sameWatermark(now, next)) return
    if (sameWatermark(now, held)) {
      throw new LoomlogError('log-unavailable', `table ${table.name} could not be written`, { cause })
    }
    const found = `it is at ${now.offset} in epoch ${now.epoch}, not at ${held.offset} in epoch ${held.epoch}`
    throw new LoomlogError('fenced', `another writer took table ${table.name}: ${found}`, { cause })
  }
}

/** Runs what it is given one at a time, in the order of the calls. */
function lane(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}
