/**
 * The watermark row of a table: how far in its source partition the table has come, who may write it, and what it is made of.
 * It stands in the table from its creation and is changed by every merge, in the same commit as the rows.
 *
 * What always holds: a merge commits only if the watermark row still says what its writer believes. The merge's condition
 * divides by zero where it does not, which fails the merge as a whole, also when LanceDB tries it again on top of another
 * writer's commit. So of two writers one is fenced, and has written nothing.
 */
import type { Table } from '@lancedb/lancedb'
import { LoomlogError } from '@loomlog/errors'
import { canonicalJson } from '@loomlog/schemas/ids'
import { sql } from './condition.ts'
import { columns, decodeRows, type Row } from './row.ts'

/** No row has this key: theirs hold slashes. */
export const watermarkKey = '#watermark'

/** Raised when the tables are laid out anew. A view of another format is rebuilt from the log. */
const viewFormat = 1

export interface VectorSpace {
  readonly name: string
  readonly dimensions: number
}

export interface Watermark {
  /** The next offset of the source partition that is not in the table. */
  readonly offset: number
  /** Rises with every writer that opens the table. */
  readonly epoch: number
  /** A random name that the writer gave itself when it opened the table. */
  readonly writer: string
}

export function sameWatermark(a: Watermark, b: Watermark): boolean {
  return a.offset === b.offset && a.epoch === b.epoch && a.writer === b.writer
}

export function watermarkRow(mark: Watermark, vectorSpace: VectorSpace): Row {
  const identity = { format: viewFormat, vectorSpace: { name: vectorSpace.name, dimensions: vectorSpace.dimensions } }
  return {
    id: watermarkKey,
    // In no space, and deleted: no search can meet it.
    space: '',
    deleted: true,
    offset: mark.offset,
    seq: mark.epoch,
    speaker: mark.writer,
    payload: canonicalJson(identity),
    ...{ conversation: '', text: '', ordinal: 0, knownFrom: 0, vector: null },
    ...{ at: null, validFrom: null, validTo: null, knownTo: null },
  }
}

/** @throws LoomlogError `view-corrupt`, and `embedder-mismatch` where the table was made for another vector space */
export async function readWatermark(table: Table, vectorSpace: VectorSpace): Promise<Watermark> {
  const query = table.query().where(sql`key = ${watermarkKey}`.text).select(Object.values(columns))
  const rows = []
  for await (const batch of query) rows.push(...decodeRows(batch))
  const row = rows[0]
  if (!row || rows.length > 1) {
    throw new LoomlogError(
      'view-corrupt',
      `table ${table.name} has ${rows.length} watermark rows instead of one: rebuild it`,
    )
  }
  checkIdentity(table.name, row.payload, vectorSpace)
  return { offset: row.offset, epoch: row.seq, writer: row.speaker }
}

function checkIdentity(table: string, payload: string, wanted: VectorSpace): void {
  const stored = JSON.parse(payload) as { format: number; vectorSpace: VectorSpace }
  if (stored.format !== viewFormat) {
    throw new LoomlogError(
      'view-corrupt',
      `table ${table} has format ${stored.format}, and this version reads ${viewFormat}: rebuild it`,
    )
  }
  const { name, dimensions } = stored.vectorSpace
  if (name === wanted.name && dimensions === wanted.dimensions) return
  throw new LoomlogError(
    'embedder-mismatch',
    `table ${table} holds vectors of ${name} (${dimensions} dimensions), not of ${wanted.name} (${wanted.dimensions})`,
  )
}

/**
 * The condition of a merge: all of it fails unless the watermark row is `held`; a row gives way only to a later record's. The
 * fence comes first and is true or an error for the watermark row, so nothing after it can keep it from being evaluated.
 */
export function mergeCondition(held: Watermark): string {
  const unchanged = sql`target.seq = ${held.epoch} AND target.speaker = ${held.writer} AND target.offset = ${held.offset}`
  const ours = sql`target.key <> ${watermarkKey} OR ${unchanged}`
  const newer = sql`target.key = ${watermarkKey} OR source.offset > target.offset`
  return `1 / CAST((${ours.text}) AS INT) = 1 AND (${newer.text})`
}

/** Counts up in the table itself, so that no two writers ever hold the same epoch; the name says whose it is. */
export async function raiseEpoch(table: Table, writer: string): Promise<void> {
  const valuesSql = { [columns.seq]: `${columns.seq} + 1`, [columns.speaker]: sql`${writer}`.text }
  await table.update({ where: sql`key = ${watermarkKey}`.text, valuesSql })
}
