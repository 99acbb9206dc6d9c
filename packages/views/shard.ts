/**
 * A shard: the tables of one view for one partition of its source topic, in one folder or under one object-store URI. One
 * process at a time opens it to write, any number to read; readers see every commit at once. What an object store needs to know,
 * credentials and endpoint, LanceDB takes from the environment itself.
 */
import { randomUUID } from 'node:crypto'
import { type Connection, connect, Session, type Table } from '@lancedb/lancedb'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { dumpTable } from './dump.ts'
import { readWatermark, type VectorSpace, type Watermark } from './fence.ts'
import { type Search, searchIn } from './search.ts'
import { openOrCreateTable, openTable } from './table.ts'
import { openWriter, type Writer } from './writer.ts'

export interface ShardOptions {
  /** `<views>/<view id>/p<partition>`: a folder or an object-store URI. */
  readonly uri: string
  readonly tables: readonly string[]
  readonly vectorSpace: VectorSpace
  /** For readers: `latest` (the default) sees every commit at once, `as-opened` what stood there when it was opened. */
  readonly reads?: 'latest' | 'as-opened'
}

export interface ReadableShard extends Search {
  /** How far a table has come, as committed. */
  watermark(table: string): Promise<Watermark>
  /** The table's canonical dump, line by line. */
  dump(table: string): AsyncGenerator<string>
  close(): Promise<void>
}

export interface WritableShard extends ReadableShard, Writer {}

/**
 * To write: makes what is missing, and fences the writer before. To read: throws `not-found` where nothing was written yet.
 * @throws LoomlogError `embedder-mismatch` where the shard was made for another vector space; `view-corrupt`; `not-found`
 */
export function openShard(options: ShardOptions & { readonly mode: 'write' }): Promise<WritableShard>
export function openShard(options: ShardOptions & { readonly mode: 'read' }): Promise<ReadableShard>
export async function openShard(
  options: ShardOptions & { readonly mode: 'write' | 'read' },
): Promise<ReadableShard | WritableShard> {
  // Left out, a table stays at the version in which it was opened.
  const consistency = options.reads === 'as-opened' ? {} : { readConsistencyInterval: 0 }
  let connection: Connection | null = null
  try {
    connection = await connect(options.uri, { ...consistency, session })
    return await (options.mode === 'write' ? writable(connection, options) : readable(connection, options))
  } catch (error) {
    connection?.close()
    throw isLoomlogError(error) || !options.uri.includes('://') ? error : unreachable(options.uri, error)
  }
}

/**
 * LanceDB's caches, shared by all shards of the process. By default each connection has caches of its own, of up to 7 GB, which keep the
 * pages of every version that was ever read.
 */
const maxIndexCacheBytes = 256n * 1_048_576n
const maxMetadataCacheBytes = 64n * 1_048_576n
const session = new Session(maxIndexCacheBytes, maxMetadataCacheBytes)

/** An object store that is away, or will not have us; LanceDB's errors say it in words only. */
function unreachable(uri: string, cause: unknown): LoomlogError {
  const [said = ''] = (cause as Error).message.split('\n')
  return new LoomlogError('log-unavailable', `the views at ${uri} can't be opened: ${said.slice(0, mostSaid)}`, {
    cause,
  })
}

const mostSaid = 500

async function readable(connection: Connection, { tables, vectorSpace }: ShardOptions): Promise<ReadableShard> {
  const open = new Map<string, Table>()
  for (const name of tables) open.set(name, await openTable(connection, name))
  for (const table of open.values()) await readWatermark(table, vectorSpace)
  return reader(connection, open, vectorSpace)
}

async function writable(connection: Connection, { tables, vectorSpace }: ShardOptions): Promise<WritableShard> {
  const open = new Map<string, Table>()
  const us = randomUUID()
  for (const name of tables) open.set(name, await openOrCreateTable(connection, name, { vectorSpace, writer: us }))
  const writer = await openWriter(open, { vectorSpace, name: us })
  const shard = reader(connection, open, vectorSpace)
  return {
    ...shard,
    ...writer,
    async close() {
      await writer.close()
      await shard.close()
    },
  }
}

function reader(connection: Connection, open: ReadonlyMap<string, Table>, vectorSpace: VectorSpace): ReadableShard {
  function tableOf(name: string): Table {
    const table = open.get(name)
    if (!table) throw new Error(`this shard has no table ${name}`)
    return table
  }
  return {
    ...searchIn(tableOf),
    watermark: (name) => readWatermark(tableOf(name), vectorSpace),
    dump: (name) => dumpTable(tableOf(name)),
    async close() {
      for (const table of open.values()) table.close()
      connection.close()
    },
  }
}
