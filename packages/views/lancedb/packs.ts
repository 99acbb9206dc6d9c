/**
 * Packs: hidden rows of a table. Each holds up to `maxPackedRows` rows of one space as one value, so that a space is
 * read in a few pieces instead of row by row. The rows themselves stay; a pack only repeats them.
 *
 * 1. The packs of a space cover it up to the `until` of the last one: every row with a lower offset is in a pack. Of
 *    several versions of a row in packs, the one in the last pack is the newest; a newer one still is among the rows
 *    from `until` on.
 * 2. The table's one writer writes packs in the merge of a batch, from its rows and those that were committed before
 *    it.
 * 3. A merge that writes a tombstone in a space, or clears it, empties all packs of the space: in no snapshot does a
 *    pack hold a removed row.
 * 4. Packs get larger from the newest to the oldest: a pack less than twice as large as the one after it is joined with
 *    it, unless the two exceed `maxPackedRows`.
 */
import type { Table as LanceTable } from '@lancedb/lancedb'
import { hash } from '@loomlog/schemas/ids'
import { checkPack, packBlock, unpackBlock } from '../blocks/packed-block.ts'
import type { RowBlock } from '../blocks/row-block.ts'
import type { Watermark } from '../port.ts'
import type { Row, StoredRow } from '../row.ts'
import { emptyRow, type Table } from '../table.ts'
import { decodeRows, packAt, packValueColumns } from './arrow.ts'
import { watermarkColumns } from './fence.ts'
import type { RowFormat } from './row-format.ts'
import { literal } from './sql.ts'
import { isWatermark, watermarkKey } from './watermark-key.ts'

/** Fewer unpacked rows of a space stay unpacked: reading this many row by row costs as much as reading a pack. */
export const minUnpackedRows = 128

export interface Pack {
  readonly place: number
  /** 0: it is empty. */
  readonly rows: number
  /** Rows below this offset are in this pack or in an earlier one. */
  readonly until: number
}

const prefix = '#pack:'
/** The columns that hold a pack's space, place, rows and until. */
const packColumns = ['conversation', 'ordinal', 'seq', 'known_from']

/** A row as it is merged into a table. */
export interface PackRow {
  readonly key: string
  readonly row: StoredRow
  /** Null: the pack is empty. */
  readonly pack: Uint8Array | null
}

/** @param mark its offset, the watermark before the merge, is larger than that of every pack written before */
export function packRow(
  { table, format, mark }: { readonly table: Table; readonly format: RowFormat; readonly mark: Watermark },
  space: string,
  { place, rows, until }: Pack,
  block: RowBlock | null,
): PackRow {
  // Without a slash, so that it is no other row's key.
  const key = `${keyPrefix(space)}${place}`
  // In no space, and deleted, so that no search finds it.
  const hidden = { id: key, space: '', deleted: true, conversation: space }
  const row = { ...emptyRow(table), ...hidden, ordinal: place, seq: rows, knownFrom: until, offset: mark.offset }
  return { key, row, pack: block && format.storedPack(space, packBlock(block, Object.keys(table.allColumns))) }
}

/** The packs of every space, including empty ones. */
export async function packsIn(on: LanceTable, table: Table): Promise<ReadonlyMap<string, readonly Pack[]>> {
  const spaces = new Map<string, Pack[]>()
  for await (const recordBatch of on.query().where(keysFrom(prefix)).select(packColumns)) {
    for (const row of decodeRows(table, recordBatch)) {
      spaces.set(row.conversation, [...(spaces.get(row.conversation) ?? []), packOf(row)])
    }
  }
  return spaces
}

export interface StoredPack {
  readonly pack: Pack
  /** Null: its key was destroyed. */
  readonly block: RowBlock | null
}

/** Null: there is no such pack. */
export async function readPack(
  { on, table, format }: { readonly on: LanceTable; readonly table: Table; readonly format: RowFormat },
  space: string,
  place: number,
): Promise<StoredPack | null> {
  const { packs } = await packsWhere(on, table, `key = ${literal(`${keyPrefix(space)}${place}`)}`, format)
  return packs[0] ?? null
}

/** The packs of one space that hold rows, the oldest first, and the table's watermark rows: from one snapshot. */
export function readPacks(on: LanceTable, table: Table, space: string, format: RowFormat) {
  return packsWhere(on, table, `${isWatermark} OR ${keysFrom(keyPrefix(space))}`, format)
}

/** @throws LoomlogError `view-corrupt` where a pack doesn't match its checksum */
async function packsWhere(on: LanceTable, table: Table, where: string, format: RowFormat) {
  const packs: StoredPack[] = []
  const marks: Row[] = []
  const wanted = on.query().where(where)
  for await (const recordBatch of wanted.select([
    ...new Set(['id', ...watermarkColumns, ...packColumns, ...packValueColumns]),
  ])) {
    for (const [at, row] of decodeRows(table, recordBatch).entries()) {
      if (row.id === watermarkKey) marks.push(row)
      else if (packAt(recordBatch, at).length > 0) {
        const pack = await format.pack(row.conversation, recordBatch, at)
        packs.push({ pack: packOf(row), block: pack && unpackBlock(pack, Object.keys(table.allColumns)) })
      }
    }
  }
  return { packs: packs.toSorted((a, b) => a.pack.place - b.pack.place), marks }
}

/** @throws LoomlogError `view-corrupt` where any pack doesn't match its checksum */
export async function checkPacks(on: LanceTable, format: RowFormat): Promise<void> {
  for await (const recordBatch of on
    .query()
    .where(keysFrom(prefix))
    .select(['conversation', ...packValueColumns])) {
    const spaces = recordBatch.getChild('conversation')
    for (let at = 0; at < recordBatch.numRows; at += 1) {
      if (packAt(recordBatch, at).length === 0) continue
      const pack = await format.pack(spaces?.get(at) as string, recordBatch, at)
      if (pack !== null) checkPack(pack)
    }
  }
}

function packOf({ ordinal, seq, knownFrom }: Row): Pack {
  return { place: ordinal, rows: seq, until: knownFrom }
}

function keyPrefix(space: string): string {
  return `${prefix}${hash([space])}:`
}

/** Keys with this prefix, as a range that the index on keys can look up. @param start ends with a colon */
function keysFrom(start: string): string {
  return `(key >= ${literal(start)} AND key < ${literal(`${start.slice(0, -1)};`)})`
}
