/**
 * The one writer of a shard: an actor in whose lane every merge and every optimize runs, one after the other. A batch
 * is one merge: its rows and the watermark are committed together or not at all, so after a crash the next writer
 * resumes at the watermark with nothing missing, doubled or ahead of it.
 *
 * Opening a writer fences the previous one: every batch of the old writer throws `fenced` and changes nothing.
 */
import type { Table as LanceTable } from '@lancedb/lancedb'
import { LoomlogError } from '@loomlog/errors'
import { crashPoint } from '@loomlog/log/crash-points'
import { afterClearings, changeOffset, fold, keysToRead } from '../fold.ts'
import type { Batch, BatchResult, TableHealth, Watermark, WritableShard } from '../port.ts'
import type { StoredRow } from '../row.ts'
import { rowKey } from '../row.ts'
import type { Table } from '../table.ts'
import { encodeRows, type KeyedRow } from './arrow.ts'
import { viewError, withViewErrors } from './errors.ts'
import { mergeCondition, raiseEpoch, readWatermark, sameWatermark, type TableFormat, watermarkRow } from './fence.ts'
import { buildIndexes } from './indexes.ts'
import { type Maintenance, maintenanceOf } from './maintenance.ts'
import { eraseIfOwed, unerasedRow } from './owed-erasure.ts'
import { PackKeeper } from './pack-keeper.ts'
import type { RowFormat } from './row-format.ts'
import { literal } from './sql.ts'
import { watermarkKey } from './watermark-key.ts'

export type Writer = Pick<WritableShard, 'apply' | 'optimize' | 'erase' | 'health' | 'close'>

interface OwnedTable {
  readonly table: Table
  readonly on: LanceTable
  readonly format: RowFormat
  readonly maintenance: Maintenance
  /**
   * Opened again after a merge that failed and whose batch is in the table: the packs may be those of an earlier
   * attempt.
   */
  packs: PackKeeper
  mark: Watermark
}

interface WriterOptions {
  readonly format: TableFormat
  /** Random; it is in the watermark rows of the tables that the writer made itself. */
  readonly name: string
  /** Reports maintenance that fails: searches get slower, and old files stay, until it succeeds. */
  notify(message: string): void
}

export async function openWriter(
  tables: ReadonlyMap<Table, LanceTable>,
  { format, name, notify }: WriterOptions,
): Promise<Writer> {
  const held = new Map<Table, OwnedTable>()
  for (const [table, on] of tables) {
    const { rows, vectorSpace } = format
    const mark = await takeOver(on, table, format, name)
    await buildIndexes(on, rows.indexes, 'missing')
    const maintenance = await maintenanceOf(on, rows.indexes, mark.offset === 0 ? 'empty' : 'used')
    if (mark.offset > 0) await eraseIfOwed(on, maintenance)
    const packs = await PackKeeper.open({ on, table }, vectorSpace, mark.offset === 0 ? 'empty' : 'used')
    held.set(table, { table, on, format: rows, mark, maintenance, packs })
  }
  const inLane = lane()

  async function everywhere(work: (maintenance: Maintenance) => Promise<void>): Promise<void> {
    for (const { maintenance } of held.values()) await inLane(() => work(maintenance))
  }

  return {
    /** Where the erasure after a clearing fails, it throws after the batch is durable; the batch tried again erases. */
    async apply(batch) {
      const target = held.get(batch.table)
      if (!target) throw new Error(`this shard has no table ${batch.table.name}`)
      const applied = await inLane(() => withViewErrors(() => applyBatch(target, batch, format), batch.table.name))
      const isCleared = batch.changes.some(({ kind }) => kind === 'clear')
      if (isCleared) await inLane(() => withViewErrors(() => eraseIfOwed(target.on, target.maintenance)))
      // Not awaited, since the batch is durable; the lane runs it before the next job. An earlier one may have done the
      // work.
      const report = (message: string) => notify(`table ${batch.table.name}: ${message}`)
      if (target.maintenance.isDue()) void inLane(() => target.maintenance.runIfDue(report))
      return applied
    },
    optimize: () => everywhere((maintenance) => maintenance.run()),
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

async function applyBatch(held: OwnedTable, batch: Batch, format: TableFormat): Promise<BatchResult> {
  const ahead = batch.changes.find((change) => changeOffset(change) >= batch.watermark)
  if (ahead) throw new Error(`a change of offset ${changeOffset(ahead)} in a batch up to ${batch.watermark}`)
  if (batch.watermark <= held.mark.offset) return { watermark: held.mark.offset, rows: 0 }
  const kept = afterClearings(batch.changes.filter((change) => changeOffset(change) >= held.mark.offset))
  const { cleared } = kept
  const rows = fold(held.table, kept.changes, await readRows(held, keysToRead(kept)))
  const { watermark: offset, checkpoint = null } = batch
  // Removed rows leave no tombstone. Readers that cached them see that the table is another one.
  const epoch = cleared.size === 0 ? held.mark.epoch : held.mark.epoch + 1
  const next = { ...held.mark, epoch, offset, checkpoint }
  await held.format.prepare([...new Set([...rows.values()].map(({ space }) => space))])
  const packing = await held.packs.plan(held, { rows: [...rows.values()], cleared, until: offset })
  const owed = cleared.size === 0 ? [] : [unerasedRow(held.table, offset - 1)]
  const written = [...[...rows.values()].map((row) => held.format.stored(held.table, row)), ...owed]
  crashPoint('view.before-merge')
  const committed = await commit(held, next, { rows: [...written, ...packing.rows], cleared }, format)
  crashPoint('view.after-merge')
  held.mark = next
  if (committed === 'by this merge') packing.onCommitted()
  else held.packs = await PackKeeper.open(held, format.vectorSpace, 'used')
  held.maintenance.committed(written.length + packing.rows.length + 1)
  return { watermark: next.offset, rows: rows.size }
}

/** Keys in one filter: the statement stays small, and takes a few milliseconds. */
const keysPerRead = 512

async function readRows(
  { table, on, format }: OwnedTable,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredRow>> {
  const rows = new Map<string, StoredRow>()
  for (let from = 0; from < keys.length; from += keysPerRead) {
    const some = keys.slice(from, from + keysPerRead).map((key) => literal(format.keyOf(key)))
    const wanted = on.query().where(`key IN (${some.join(', ')})`)
    for await (const recordBatch of wanted.select([...format.columns(table)])) {
      for (const row of await format.rows(table, recordBatch, 'rows and vectors'))
        rows.set(rowKey(row.space, row.id), row)
    }
  }
  return rows
}

/** Attempts at a take-over. A writer that commits without pause, or a rival, makes some fail, but not for long. */
const maxTakeOvers = 10

/** Fences the previous writer: raises the epoch in the watermark row, and keeps its offset. */
async function takeOver(on: LanceTable, table: Table, format: TableFormat, name: string): Promise<Watermark> {
  const found = await readWatermark(on, table, format)
  if (found.writer === name) return found
  for (let attempt = 1; ; attempt += 1) {
    let failure: unknown
    try {
      await raiseEpoch(on, name)
    } catch (error) {
      failure = error
    }
    const now = await readWatermark(on, table, format)
    if (now.writer === name) return now
    if (attempt === maxTakeOvers) {
      const code = failure === undefined ? 'fenced' : 'view-unavailable'
      throw new LoomlogError(code, `table ${table.name} could not be opened for writing in ${attempt} tries`, {
        cause: failure,
      })
    }
  }
}

async function commit(
  { table, on, mark: held }: OwnedTable,
  next: Watermark,
  { rows, cleared }: { readonly rows: readonly KeyedRow[]; readonly cleared: ReadonlySet<string> },
  format: TableFormat,
): Promise<'by this merge' | 'by this or an earlier one'> {
  const written = [{ key: watermarkKey, row: watermarkRow(table, next, format) }, ...rows]
  const upsert = on
    .mergeInsert('key')
    .whenMatchedUpdateAll({ where: mergeCondition(held) })
    .whenNotMatchedInsertAll()
  const merge = cleared.size === 0 ? upsert : upsert.whenNotMatchedBySourceDelete({ where: inSpaces(cleared) })
  try {
    await merge.execute(encodeRows(table, written, format.vectorSpace.dimensions))
    return 'by this merge'
  } catch (cause) {
    // An error can also come after the commit, so the outcome is read from the table. If that fails too, a retry of the
    // batch finds out.
    const now = await readWatermark(on, table, format).catch(() => held)
    if (sameWatermark(now, next)) return 'by this or an earlier one'
    if (sameWatermark(now, held)) {
      throw viewError(table.name, cause)
    }
    const found = `it is at ${now.offset} in epoch ${now.epoch}, not at ${held.offset} in epoch ${held.epoch}`
    throw new LoomlogError('fenced', `another writer opened table ${table.name}: ${found}`, { cause })
  }
}

function inSpaces(spaces: ReadonlySet<string>): string {
  return `space IN (${[...spaces].map(literal).join(', ')})`
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
