/**
 * The watermark row of a table: its watermark in the source partition, its one writer, its layout, vector space and
 * log. It is in the table from its creation on, and every merge changes it in the same commit as the rows.
 *
 * Invariant: a merge commits only if the watermark row still equals the one that its writer holds. Otherwise the
 * merge's condition divides by zero, which fails the merge as a whole, also when LanceDB tries it again on top of
 * another writer's commit. So of two writers one is fenced, and has written nothing.
 */
import type { Table as LanceTable } from '@lancedb/lancedb'
import { LoomlogError } from '@loomlog/errors'
import type { Checkpoint } from '@loomlog/log/checkpoint'
import { canonicalJson } from '@loomlog/schemas/ids'
import { viewLayout } from '../catalogue.ts'
import type { VectorSpace, Watermark } from '../port.ts'
import type { Row, StoredRow } from '../row.ts'
import { emptyRow, type Table } from '../table.ts'
import { decodeRows } from './arrow.ts'
import type { RowFormat } from './row-format.ts'
import { literal } from './sql.ts'
import { isWatermark, watermarkKey } from './watermark-key.ts'

/** The vectors and the format of a table's rows, as its watermark row names them. */
export interface TableFormat {
  readonly vectorSpace: VectorSpace
  readonly rows: RowFormat
}

export function sameWatermark(a: Watermark, b: Watermark): boolean {
  return a.offset === b.offset && a.epoch === b.epoch && a.writer === b.writer
}

/**
 * The watermark as a row: the epoch in `seq`, the writer in `speaker`; layout, vector space, format and checkpoint in
 * `conversation`. `text` is empty, so that full text indexes nothing of it.
 */
export function watermarkRow(table: Table, mark: Watermark, { vectorSpace, rows }: TableFormat): StoredRow {
  const { checkpoint } = mark
  const { name, dimensions } = vectorSpace
  const conversation = canonicalJson({
    layout: viewLayout,
    vectorSpace: { name, dimensions },
    checkpoint: plain(checkpoint),
    ...(rows.isSealed && { isSealed: true }),
  })
  // In no space, and deleted, so that no search finds it.
  const hidden = { id: watermarkKey, space: '', deleted: true }
  return { ...emptyRow(table), ...hidden, conversation, offset: mark.offset, seq: mark.epoch, speaker: mark.writer }
}

/** Reading only these columns takes a third of the time. */
export const watermarkColumns = ['offset', 'seq', 'speaker', 'conversation']

/** @throws LoomlogError `view-corrupt`, and `embedder-mismatch` where the table was made for another vector space */
export async function readWatermark(on: LanceTable, table: Table, format: TableFormat): Promise<Watermark> {
  const rows: Row[] = []
  for await (const recordBatch of on.query().where(isWatermark).select(watermarkColumns)) {
    rows.push(...decodeRows(table, recordBatch))
  }
  return watermarkOf(table, rows, format)
}

/** @param rows the table's watermark rows @throws as `readWatermark` */
export function watermarkOf(table: Table, rows: readonly Row[], format: TableFormat): Watermark {
  const row = rows[0]
  if (!row || rows.length > 1) {
    throw new LoomlogError(
      'view-corrupt',
      `table ${table.name} has ${rows.length} watermark rows instead of one: rebuild it`,
    )
  }
  const { checkpoint } = checkedIdentity(table, row.conversation, format)
  if (checkpoint !== null && checkpoint.offset !== row.offset) {
    const message = `the watermark row of table ${table.name} is damaged: ${row.offset} is not its checkpoint's ${checkpoint.offset}`
    throw new LoomlogError('view-corrupt', message)
  }
  return { offset: row.offset, epoch: row.seq, writer: row.speaker, checkpoint }
}

interface Identity {
  readonly layout: number
  readonly vectorSpace: VectorSpace
  readonly checkpoint: Checkpoint | null
  /** Absent: the rows are plain. */
  readonly isSealed?: boolean
}

function checkedIdentity(table: Table, identity: string, { vectorSpace: wanted, rows }: TableFormat): Identity {
  const stored = parsed(table, identity)
  if (stored.layout !== viewLayout) {
    throw new LoomlogError(
      'view-corrupt',
      `table ${table.name} has layout ${stored.layout}, and this version reads ${viewLayout}: rebuild it`,
    )
  }
  const isSealed = stored.isSealed ?? false
  if (isSealed !== rows.isSealed) {
    const made = isSealed ? 'of an encrypted log, and this one is not' : 'without encryption, and the log is encrypted'
    throw new LoomlogError('view-corrupt', `table ${table.name} was made ${made}: rebuild it`)
  }
  const { name, dimensions } = stored.vectorSpace
  if (name === wanted.name && dimensions === wanted.dimensions) return stored
  throw new LoomlogError(
    'embedder-mismatch',
    `table ${table.name} holds vectors of ${name} (${dimensions} dimensions), not of ${wanted.name} (${wanted.dimensions})`,
  )
}

function plain(checkpoint: Checkpoint | null) {
  return checkpoint && { ...checkpoint, last: checkpoint.last && { ...checkpoint.last } }
}

function parsed(table: Table, identity: string): Identity {
  try {
    return JSON.parse(identity) as Identity
  } catch (cause) {
    throw new LoomlogError('view-corrupt', `the watermark row of table ${table.name} is damaged`, { cause })
  }
}

/**
 * The condition of a merge. The merge fails as a whole unless the watermark row equals `held`; a row is replaced only
 * by a later record's. The fence comes first. For the watermark row it is true or an error, so no condition after it
 * can keep it from being evaluated.
 */
export function mergeCondition(held: Watermark): string {
  const isHeld = `target.seq = ${held.epoch} AND target.speaker = ${literal(held.writer)} AND target.offset = ${held.offset}`
  const fence = `target.key <> ${literal(watermarkKey)} OR (${isHeld})`
  return `1 / CAST((${fence}) AS INT) = 1 AND (target.${isWatermark} OR source.offset > target.offset)`
}

/** Raises the epoch in the table itself, so that no two writers hold the same one, and names its writer. */
export async function raiseEpoch(on: LanceTable, writer: string): Promise<void> {
  await on.update({ where: isWatermark, valuesSql: { seq: 'seq + 1', speaker: literal(writer) } })
}
