/**
 * Views in LanceDB tables: `<views>/<view>/p<partition>/<table>`, in a folder or an object store. Credentials and
 * endpoint of an object store are LanceDB's own environment variables.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type Connection, connect, type Table as LanceTable, Session } from '@lancedb/lancedb'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Sealer } from '@loomlog/log/port'
import { and, equals } from '../condition.ts'
import type { ReadableShard, Search, ShardOptions, ViewStore, Watermark } from '../port.ts'
import type { Table } from '../table.ts'
import { encodeRows } from './arrow.ts'
import { isConflict, messageIncludes, viewError, withViewErrors } from './errors.ts'
import { readWatermark, type TableFormat, watermarkRow } from './fence.ts'
import { plainRows } from './row-format.ts'
import { changesIn, everyRow } from './rows.ts'
import { sealedColumnOf, sealedRows } from './sealed-rows.ts'
import { sealedSearch } from './sealed-search.ts'
import { searchIn } from './search.ts'
import { toSql } from './sql.ts'
import { watermarkKey } from './watermark-key.ts'
import { openWriter } from './writer.ts'

/**
 * LanceDB's caches, one set for all readers and one for all writers of the process. By default each connection has its
 * own, of up to 7 GB, with the pages of every version that was ever read. The writers' index cache is small: every
 * `optimize` reads the index that it replaces, and a cached index keeps its deleted files open and on the disk. The
 * readers' metadata is some 3 KB a file by LanceDB's count, and twice that in memory; every merge makes new files, so
 * the cache is always full.
 */
const mebibyte = 1_048_576n
const readerSession = new Session(256n * mebibyte, 16n * mebibyte)
const writerSession = new Session(4n * mebibyte, 16n * mebibyte)

/** The size of these caches, by LanceDB's count. */
export function lanceCacheBytes(): { readonly readers: number; readonly writers: number } {
  return { readers: Number(readerSession.sizeBytes()), writers: Number(writerSession.sizeBytes()) }
}

/**
 * @param views the place of all views: a folder or an object-store URI
 * @param notify reports a table whose maintenance fails; readers need none
 * @param sealing of an encrypted log: rows and packs are sealed. Null: the log is not encrypted
 */
export function lanceStore(
  views: string,
  notify: (message: string) => void = () => {},
  sealing: Sealer | null = null,
): ViewStore {
  const rows = sealing === null ? plainRows : sealedRows(sealing)
  const isObjectStore = views.includes('://')
  const folderOf = (view: string) => `${views}/${view}`
  return {
    async read(shard, reads) {
      // Without an interval, a table stays at the version in which it was opened.
      const options = { session: readerSession, ...(reads === 'latest' && { readConsistencyInterval: 0 }) }
      return opening(shardUri(views, shard), options, async (connection) => {
        const open = new Map<Table, LanceTable>()
        for (const table of shard.tables) open.set(table, await openTable(connection, table.name))
        const reader = readable(connection, open, { vectorSpace: shard.vectorSpace, rows })
        // Checks the layout, and caches the watermarks, which the first recall reads.
        for (const table of shard.tables) await reader.watermark(table)
        return reader
      })
    },
    async write(shard) {
      const options = { session: writerSession, readConsistencyInterval: 0 }
      return opening(shardUri(views, shard), options, async (connection) => {
        const open = new Map<Table, LanceTable>()
        const format = { vectorSpace: shard.vectorSpace, rows }
        const name = randomUUID()
        for (const table of shard.tables) {
          open.set(table, await openOrCreateTable(connection, table, { format, writer: name }))
        }
        const writer = await openWriter(open, {
          format,
          name,
          notify: (message) => notify(`the view at ${shardUri(views, shard)}: ${message}`),
        })
        const reader = readable(connection, open, format)
        const close = () => writer.close().then(() => reader.close())
        return { ...reader, ...writer, close }
      })
    },
    async discard(view, partition) {
      const uri = shardUri(views, { view, partition })
      if (!isObjectStore) return rm(uri, { recursive: true, force: true })
      const connection = await connect(uri)
      await connection.dropAllTables()
      connection.close()
    },
    async remove(view, partitions) {
      if (!isObjectStore) return rm(folderOf(view), { recursive: true, force: true })
      for (let partition = 0; partition < partitions; partition += 1) await this.discard(view, partition)
    },
    mayHold: (view) => isObjectStore || existsSync(folderOf(view)),
  }
}

/** The place of a shard, for benches and tests that look past the port. */
export function shardUri(views: string, { view, partition }: Pick<ShardOptions, 'view' | 'partition'>): string {
  return `${views}/${view}/p${partition}`
}

async function opening<T>(
  uri: string,
  options: { readonly session: Session; readonly readConsistencyInterval?: number },
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  let connection: Connection | null = null
  try {
    connection = await connect(uri, options)
    return await work(connection)
  } catch (error) {
    connection?.close()
    throw viewError(uri, error)
  }
}

function readable(connection: Connection, open: ReadonlyMap<Table, LanceTable>, format: TableFormat): ReadableShard {
  function lanceTable(table: Table): LanceTable {
    const found = open.get(table)
    if (!found) throw new Error(`this shard has no table ${table.name}`)
    return found
  }
  /** Cached by version: a query takes milliseconds, and every recall needs it. */
  const marks = new Map<Table, { readonly version: number; readonly watermark: Watermark }>()
  const { rows, vectorSpace } = format
  const shard: Omit<ReadableShard, keyof Search> = {
    async watermark(table) {
      const version = await withViewErrors(() => lanceTable(table).version())
      const known = marks.get(table)
      if (known?.version === version) return known.watermark
      const watermark = await withViewErrors(() => readWatermark(lanceTable(table), table, format))
      marks.set(table, { version, watermark })
      return watermark
    },
    version: (table) => withViewErrors(() => lanceTable(table).version()),
    changes: (table, space, from) => withViewErrors(() => changesIn(lanceTable(table), table, { space, from, format })),
    async total(table, where) {
      const sealed = rows.isSealed ? sealedColumnOf(where) : null
      if (sealed !== null) throw new Error(`a total of table ${table.name} can't read ${sealed}, which is encrypted`)
      return withViewErrors(() => lanceTable(table).countRows(toSql(and(equals('deleted', false), where), table)))
    },
    rows: (table) => everyRow(lanceTable(table), table, rows),
    async close() {
      for (const table of open.values()) table.close()
      connection.close()
    },
  }
  const { dimensions } = vectorSpace
  const search = rows.isSealed ? sealedSearch({ format: rows, dimensions, lanceTable, shard }) : searchIn(lanceTable)
  return { ...search, ...shard }
}

async function openTable(connection: Connection, name: string): Promise<LanceTable> {
  try {
    return await connection.openTable(name)
  } catch (cause) {
    if (!messageIncludes(cause, 'was not found')) throw cause
    throw new LoomlogError('not-found', `no table ${name} in this shard yet`, { cause })
  }
}

/** A new table belongs to its writer at once: a second commit to take it would cost as much as many rows. */
async function openOrCreateTable(
  connection: Connection,
  table: Table,
  { format, writer }: { readonly format: TableFormat; readonly writer: string },
): Promise<LanceTable> {
  try {
    return await openTable(connection, table.name)
  } catch (error) {
    if (!isLoomlogError(error, 'not-found')) throw error
  }
  const first = watermarkRow(table, { offset: 0, epoch: 1, writer, checkpoint: null }, format)
  try {
    return await connection.createTable(
      table.name,
      encodeRows(table, [{ key: watermarkKey, row: first }], format.vectorSpace.dimensions),
    )
  } catch (cause) {
    // Another writer made the table first. It is just as good: the fence decides which of the two may write. LanceDB
    // checks and then overwrites, so the second writer may also have replaced the first one's table; the writer's name
    // in the fence covers that.
    if (!messageIncludes(cause, 'already exists') && !isConflict(cause)) throw cause
    return await openTable(connection, table.name)
  }
}
