/**
 * The floor of a replay: a bare loop that reads and decodes the replay's topics, and writes the rows of its views into
 * new LanceDB tables, with known vectors. It has no steps, look-ups or positions. Tables have the product's indexes,
 * and are written in batches of 1,024 rows, as many as the product merges of a replay. All shards are written in
 * parallel, which is fastest.
 *
 * It uses LanceDB directly, so that the floor contains none of our own code.
 */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, Index } from '@lancedb/lancedb'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'

const rowsPerBatch = 1_024

export interface Floor {
  readonly readMs: number
  readonly writeMs: number
  /** CPU time of all threads, for both. */
  readonly cpuSeconds: number
  readonly records: number
  readonly rows: number
}

/** @param from a folder with a log and its views @param to the folder of the new tables */
export async function measureFloor(from: string, to: string): Promise<Floor> {
  const tables = await tablesOf(join(from, 'views'))
  await mkdir(to, { recursive: true })
  const before = process.cpuUsage()
  const readFrom = performance.now()
  const records = await readAll(from)
  const writeFrom = performance.now()
  await Promise.all(tables.map((table) => write(table, to)))
  const rows = tables.reduce((sum, { rows: { numRows } }) => sum + numRows, 0)
  const cpu = process.cpuUsage(before)
  const cpuSeconds = (cpu.user + cpu.system) / 1_000_000
  return { readMs: writeFrom - readFrom, writeMs: performance.now() - writeFrom, cpuSeconds, records, rows }
}

async function readAll(dir: string): Promise<number> {
  const log = openSqliteLog({ dir })
  const codec = await Codec.open(log.schemas)
  let records = 0
  for (const { name } of await log.topics()) {
    for await (const batch of log.read({ topic: name, until: 'end' })) {
      for (const record of batch) await codec.decode(record.value)
      records += batch.length
    }
  }
  await log.close()
  return records
}

async function write({ shard, name, rows }: Awaited<ReturnType<typeof tablesOf>>[number], to: string): Promise<void> {
  const connection = await connect(join(to, shard))
  const table = await connection.createTable(name, rows.slice(0, 1))
  await table.createIndex('key', { config: Index.btree() })
  await table.createIndex('space', { config: Index.btree() })
  const words = { baseTokenizer: 'icu/split', stem: true, removeStopWords: false, withPosition: false } as const
  await table.createIndex('text', { config: Index.fts(words) })
  for (let at = 1; at < rows.numRows; at += rowsPerBatch) await table.add(rows.slice(at, at + rowsPerBatch))
  connection.close()
}

/** Reads every table of every shard before the clock starts. */
async function tablesOf(views: string) {
  const found = []
  for (const view of await readdir(views)) {
    for (const partition of await readdir(join(views, view))) {
      const connection = await connect(join(views, view, partition))
      for (const name of await connection.tableNames()) {
        const rows = await (await connection.openTable(name)).query().toArrow()
        found.push({ shard: join(view, partition), name, rows })
      }
      connection.close()
    }
  }
  return found
}
