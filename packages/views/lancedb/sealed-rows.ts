/**
 * Rows of an encrypted log: LanceDB sees the space, numbers and flags of a row, and no word, id or vector. The key is a
 * name that only the log's key makes from the row's key, and the column `pack` holds the whole row with its vector,
 * sealed. Packs are sealed as one value each.
 *
 * 1. The sealed bytes decide: a plain column that differs from them is damage, and so are bytes under another key.
 * 2. Merges and conditions read the plain columns alone, so fences, packs and clean-ups need no key.
 * 3. A row whose key was destroyed is in no result. A count of the plain columns still has it until its removal.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Sealer } from '@loomlog/log/port'
import type { RecordBatch } from 'apache-arrow'
import type { Expression } from '../condition.ts'
import { type Row, rowKey, type StoredRow, sharedColumns } from '../row.ts'
import { emptyRow, type Table } from '../table.ts'
import { checkedPackAt, decodeRows, packValueColumns } from './arrow.ts'
import type { RowFormat } from './row-format.ts'
import { columnName } from './sql.ts'
import { isMark } from './watermark-key.ts'

const plainKinds: readonly string[] = ['number', 'number?', 'flag']
/** The fields that stay in plain columns. */
const plainFields = Object.entries(sharedColumns)
  .filter(([field, { kind }]) => field === 'space' || plainKinds.includes(kind))
  .map(([field]) => field)
/** These, and those that the watermark row has beside them. */
const readColumns = ['key', ...packValueColumns, 'id', 'speaker', 'conversation', ...plainFields.map(columnName)]
const lengthBytes = 4

export function sealedRows(sealing: Sealer): RowFormat {
  /** @throws LoomlogError `view-corrupt` */
  async function opened(space: string, batch: RecordBatch, at: number): Promise<Uint8Array | null> {
    const sealed = checkedPackAt(batch, at)
    try {
      await sealing.refreshFor(sealed)
      return sealing.open(space, sealed)
    } catch (cause) {
      if (!isLoomlogError(cause, 'input-invalid')) throw cause
      throw new LoomlogError('view-corrupt', `a view can't be decrypted: ${(cause as Error).message}`, { cause })
    }
  }
  return {
    isSealed: true,
    indexes: ['key', 'space'],
    prepare: (spaces) => sealing.ready(spaces),
    keyOf: (key) => sealing.name(key),
    stored: (table, row) => ({
      key: sealing.name(rowKey(row.space, row.id)),
      row: withoutWords(table, row),
      pack: sealing.seal(row.space, bytesOf(table, row)),
    }),
    columns: () => readColumns,
    async rows(table, batch) {
      const rows: StoredRow[] = []
      for (const [at, plain] of decodeRows(table, batch).entries()) {
        if (isMark(plain)) rows.push({ ...plain, vector: null })
        else {
          const bytes = await opened(plain.space, batch, at)
          if (bytes === null) continue
          const row = rowIn(table, bytes)
          checkPlaces(table, row, { plain, isKey: batch.getChild('key')?.get(at) === sealing.name(keyOf(row)) })
          rows.push(row)
        }
      }
      return rows
    },
    storedPack: (space, pack) => sealing.seal(space, pack),
    pack: opened,
  }
}

/** The first column that a condition reads and that is sealed; null: it reads plain ones alone. */
export function sealedColumnOf(condition: Expression): string | null {
  if ('of' in condition) {
    const conditions = Array.isArray(condition.of) ? condition.of : [condition.of]
    return conditions.map(sealedColumnOf).find((column) => column !== null) ?? null
  }
  return plainFields.includes(condition.column) ? null : condition.column
}

function withoutWords(table: Table, row: StoredRow): StoredRow {
  const plain: { [field: string]: unknown } = { ...emptyRow(table), vector: null }
  for (const field of plainFields) plain[field] = row[field as keyof Row]
  return plain as StoredRow
}

/** The length of the values as JSON, the values in the order of the table's columns, the vector as 32-bit floats. */
function bytesOf(table: Table, row: StoredRow): Uint8Array {
  const values = Buffer.from(JSON.stringify(Object.keys(table.allColumns).map((field) => row[field as keyof Row])))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(values.length)
  const { vector } = row
  const floats = vector === null ? [] : [new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)]
  return Buffer.concat([length, values, ...floats])
}

function rowIn(table: Table, bytes: Uint8Array): StoredRow {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = lengthBytes + buffer.readUInt32LE(0)
  const values = JSON.parse(buffer.toString('utf8', lengthBytes, end)) as readonly unknown[]
  const row = Object.fromEntries(Object.keys(table.allColumns).map((field, at) => [field, values[at]]))
  // A copy that begins at a multiple of four bytes.
  const vector = end === buffer.length ? null : new Float32Array(new Uint8Array(buffer.subarray(end)).buffer)
  return { ...row, vector } as StoredRow
}

function keyOf({ space, id }: Row): string {
  return rowKey(space, id)
}

/** @throws LoomlogError `view-corrupt` */
function checkPlaces(table: Table, row: Row, { plain, isKey }: { readonly plain: Row; readonly isKey: boolean }): void {
  const other = plainFields.find((field) => plain[field as keyof Row] !== row[field as keyof Row])
  if (isKey && other === undefined) return
  const what = other === undefined ? 'is under another key' : `has another ${other}`
  throw new LoomlogError('view-corrupt', `a row of table ${table.name} ${what} than its sealed bytes have`)
}
