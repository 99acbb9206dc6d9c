/**
 * The one writer of a shard: an actor in whose lane every merge and every optimize runs, one after the other. A batch is one
 * merge: its rows and the watermark are committed together or not at all, so after a crash the next writer resumes at the watermark
 * with nothing missing, doubled or ahead of it.
 *
 * Opening a writer fences the previous one: every batch of the old writer throws `fenced` and changes nothing.
 */
import type { Table as LanceTable } from '@lancedb/lancedb'
import { LoomlogError } from '@loomlog/errors'
import { crashPoint } from '@loomlog/log/crash-points'
import { changeOffset, fold, keysToRead } from '../fold.ts'
import type { Batch, BatchResult, TableHealth, VectorSpace, Watermark, WritableShard } from '../port.ts'
import type { StoredRow } from '../row.ts'
import { rowKey } from '../row.ts'
import type { Table } from '../table.ts'
import { decodeStoredRows, encodeRows, type KeyedRow } from './arrow.ts'
import { corruptTable, isDamage, saysThat } from './errors.ts'
import { mergeCondition, raiseEpoch, readWatermark, sameWatermark, watermarkKey, watermarkRow } from './fence.ts'
import { buildIndexes } from './indexes.ts'
import { type Maintenance, maintenanceOf } from './maintenance.ts'
import { PackKeeper } from './pack-keeper.ts'
import { literal } from './sql.ts'

export type Writer = Pick<WritableShard, 'apply' | 'optimize' | 'rebuildIndexes' | 'erase' | 'health' | 'close'>

interface OwnedTable {
  readonly table: Table
  readonly on: LanceTable
  readonly maintenance: Maintenance
  /** Opened again where it is unknown which merge was committed. */
  packs: PackKeeper
  mark: Watermark
}

/** @param name of the writer: random, and in the watermark rows of the tables that it made itself */
export async function openWriter(
  tables: ReadonlyMap<Table, LanceTable>,
  { vectorSpace, name }: { readonly vectorSpace: VectorSpace; readonly name: string },
): Promise<Writer> {
  const held = new Map<Table, OwnedTable>()
  for (const [table, on] of tables) {
    const mark = await takeOver(on, table, vectorSpace, name)
    await buildIndexes(on, 'missing')
    const maintenance = await maintenanceOf(on, mark.offset === 0 ? 'empty' : 'used')
    const packs = await PackKeeper.open({ on, table }, vectorSpace, mark.offset === 0 ? 'empty' : 'used')
    held.set(table, { table, on, mark, maintenance, packs })
  }
  const inLane = lane()

  async function everywhere(work: (maintenance: Maintenance) => Promise<void>): Promise<void> {
    for (const { maintenance } of held.values()) await inLane(() => work(maintenance))
  }

  return {
    async apply(batch) {
      const target = held.get(batch.table)
      if (!target) throw new Error(`this shard has no table ${batch.table.name}`)
      const applied = await inLane(() => applyBatch(target, batch, vectorSpace))
      // Not awaited: the batch is durable, and the next job waits its turn in the lane. A failure is in `health`.
      if (target.maintenance.isDue()) inLane(() => runIfDue(target.maintenance)).catch(() => {})
      return applied
    },
    optimize: () => everywhere((maintenance) => maintenance.run()),
    rebuildIndexes: () => everywhere((maintenance) => maintenance.rebuildIndexes()),
    erase: () => everywhere((maintenance) => maintenance.erase()),
    async health() {
      const health = new Map<string, TableHealth & Watermark>()
      for (const [{ name }, { mark, maintenance }] of held)
        health.set(name, { ...mark, ...(await maintenance.health()) })
      return health
    },
    close: () => inLane(async () => {}),
  }
}

/** Looks again in the lane: a run that was queued earlier may have done the work. */
async function runIfDue(maintenance: Maintenance): Promise<void> {
  if (maintenance.isDue()) await maintenance.run()
}

async function applyBatch(held: OwnedTable, batch: Batch, vectorSpace: VectorSpace): Promise<BatchResult> {
  const ahead = batch.changes.find((change) => changeOffset(change) >= batch.watermark)
  if (ahead) throw new Error(`a change of offset ${changeOffset(ahead)} in a batch up to ${batch.watermark}`)
  if (batch.watermark <= held.mark.offset) return { watermark: held.mark.offset, rows: 0 }
  const changes = batch.changes.filter((change) => changeOffset(change) >= held.mark.offset)
  const rows = fold(held.table, changes, await readRows(held, keysToRead(changes)))
  const { watermark: offset, checkpoint = null } = batch
  const next = { ...held.mark, offset, checkpoint }
  const packing = await held.packs.plan(held, { rows: [...rows.values()], until: offset })
  const written = [...rows].map(([key, row]) => ({ key, row }))
  crashPoint('view.before-merge')
  const committed = await commit(held, next, [...written, ...packing.rows], vectorSpace)
  crashPoint('view.after-merge')
  held.mark = next
  if (committed === 'by this merge') packing.committed()
  else held.packs = await PackKeeper.open(held, vectorSpace, 'used')
  held.maintenance.committed(written.length + packing.rows.length + 1)
  return { watermark: next.offset, rows: rows.size }
}

/** Keys in one filter: looked up in a few milliseconds, in a statement that stays small. */
const keysPerRead = 512

async function readRows({ table, on }: OwnedTable, keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
  const rows = new Map<string, StoredRow>()
  for (let from = 0; from < keys.length; from += keysPerRead) {
    const some = keys.slice(from, from + keysPerRead).map(literal)
    for await (const batch of on.query().where(`key IN (${some.join(', ')})`)) {
      for (const row of decodeStoredRows(table, batch)) rows.set(rowKey(row.space, row.id), row)
    }
  }
  return rows
}

/** A writer that commits without pause makes a take-over try again, and so does a rival; neither does so for long. */
const maxTakeOvers = 10

/** Raises the epoch in the watermark row, and so fences the previous writer. The offset stays what the table says. */
async function takeOver(on: LanceTable, table: Table, vectorSpace: VectorSpace, name: string): Promise<Watermark> {
  const found = await readWatermark(on, table, vectorSpace)
  if (found.writer === name) return found
  for (let attempt = 1; ; attempt += 1) {
    let failure: unknown
    try {
      await raiseEpoch(on, name)
    } catch (error) {
      failure = error
    }
    const now = await readWatermark(on, table, vectorSpace)
    if (now.writer === name) return now
    if (attempt === maxTakeOvers) {
      const code = failure === undefined ? 'fenced' : 'view-unavailable'
      throw new LoomlogError(code, `table ${table.name} could not be taken in ${attempt} tries`, { cause: failure })
    }
  }
}

async function commit(
  { table, on, mark: held }: OwnedTable,
  next: Watermark,
  rows: readonly KeyedRow[],
  vectorSpace: VectorSpace,
): Promise<'by this merge' | 'by this or an earlier one'> {
  const written = [{ key: watermarkKey, row: watermarkRow(table, next, vectorSpace) }, ...rows]
  const merge = on
    .mergeInsert('key')
    .whenMatchedUpdateAll({ where: mergeCondition(held) })
    .whenNotMatchedInsertAll()
  try {
    await merge.execute(encodeRows(table, written, vectorSpace.dimensions))
    return 'by this merge'
  } catch (cause) {
    // The table has the outcome: an error can also come after the commit. If it can't even be asked, trying the same batch again
    // finds out.
    const now = await readWatermark(on, table, vectorSpace).catch(() => held)
    if (sameWatermark(now, next)) return 'by this or an earlier one'
    if (sameWatermark(now, held)) {
      if (isDamage(cause) && !saysThat(cause, 'Divide by zero')) throw corruptTable(table.name, cause)
      throw new LoomlogError('view-unavailable', `table ${table.name} could not be written`, { cause })
    }
    const found = `it is at ${now.offset} in epoch ${now.epoch}, not at ${held.offset} in epoch ${held.epoch}`
    throw new LoomlogError('fenced', `another writer took table ${table.name}: ${found}`, { cause })
  }
}

/** Runs jobs one at a time, in the order of the calls. */
function lane(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}
