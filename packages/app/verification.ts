/**
 * Verifies views: rebuilds every table of the live generation's views from the log, up to the watermark of the table in
 * use, and compares the two row by row. A view is a function of the log at its watermark, so any difference is damage,
 * or a bug. Log times are not compared. A vector is compared with its stored checksum, since making it again may cost
 * calls of an endpoint; a shard with a damaged vector is unreadable. One version of each table is read, so writers may
 * continue meanwhile.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import { viewSources } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import { viewStore } from '@loomlog/host/view-store'
import { unreadableReason } from '@loomlog/log/unreadable-value'
import { rebuild } from '@loomlog/materializer/rebuild'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import { compareDumps, type Difference } from '@loomlog/views/compare'
import { dumpTable } from '@loomlog/views/dump'
import type { ReadableShard } from '@loomlog/views/port'
import type { Table } from '@loomlog/views/table'
import { servingOf } from './generations/live.ts'

export interface VerifiedTable {
  readonly topic: string
  readonly table: string
  /** The id of the view that was read. */
  readonly view: string
  readonly partition: number
  readonly watermark: number
  readonly differences: number
  /** At most `maxShown` of them. */
  readonly shown: readonly Difference[]
  /** Why the shard can't be compared, which counts as one difference; null: it was compared. */
  readonly unreadable: string | null
}

/** Largest number of differences listed for a table; all are counted. */
const maxShown = 20

export interface Verification {
  readonly generation: string
  readonly tables: readonly VerifiedTable[]
  /** The number of differences in all tables. */
  readonly differences: number
  /** One sentence for each record of the log that can't be read. */
  readonly damagedRecords: readonly string[]
}

/**
 * @param views the topics whose views are verified; none: all
 * @throws LoomlogError `input-invalid`, `embedder-mismatch`
 */
export async function verifyViews(views: readonly string[], host: Host): Promise<Verification> {
  const serving = await servingOf(host, {})
  if (serving.viewEmbedder !== host.embedder.vectorSpace.name) {
    const message = `the views are of ${serving.viewEmbedder}, and LOOMLOG_EMBEDDER gives ${host.embedder.vectorSpace.name}`
    throw new LoomlogError('embedder-mismatch', message)
  }
  const tables: VerifiedTable[] = []
  for (const [topic, source] of sourcesOf(views, serving, host)) {
    for (const partition of (await host.log.endOffsets(source)).keys()) {
      const place = { topic, source, view: viewId(source, serving.viewEmbedder), partition }
      tables.push(...(await verifyShard(host, place).catch((error) => [unreadable(error, place)])))
    }
  }
  const differences = tables.reduce((sum, each) => sum + each.differences, 0)
  return { generation: serving.id, tables, differences, damagedRecords: await damagedRecords(host) }
}

/**
 * Discards every shard that differs or can't be read: its writer rebuilds it. A promotion since then changes nothing.
 */
export async function discardDifferingShards(
  { tables }: { readonly tables: readonly Pick<VerifiedTable, 'view' | 'partition' | 'differences'>[] },
  host: Host,
): Promise<void> {
  const store = viewStore(host)
  for (const { view, partition } of tables.filter(({ differences }) => differences > 0))
    await store.discard(view, partition)
}

async function damagedRecords({ log }: Host): Promise<readonly string[]> {
  const damage: string[] = []
  for (const { name } of await log.topics()) {
    for await (const records of log.read({ topic: name, until: 'end' })) {
      damage.push(...records.map(({ value }) => unreadableReason(value)).filter((reason) => reason !== null))
    }
  }
  return damage
}

/** The topics of these views, with their names in the log. */
function sourcesOf(
  names: readonly string[],
  serving: ServingGeneration,
  host: Host,
): readonly (readonly [string, string])[] {
  const sources = viewSources(serving, host)
  const wrong = names.find((name) => !sources.has(name))
  if (wrong === undefined) return [...sources].filter(([topic]) => names.length === 0 || names.includes(topic))
  throw new LoomlogError('input-invalid', `--view is ${wrong}: expected ${[...sources.keys()].join(', ')}`)
}

interface ShardPlace extends Pick<VerifiedTable, 'topic' | 'view' | 'partition'> {
  /** The name of the topic in the log. */
  readonly source: string
}

async function verifyShard(
  host: Host,
  { topic, source, view, partition }: ShardPlace,
): Promise<readonly VerifiedTable[]> {
  const vectorSpace = host.embedder.vectorSpace
  const tables = tablesOf(topic, host.tables)
  const shard = { view, partition, tables, vectorSpace }
  const found = await viewStore(host).read(shard, 'as opened').catch(notMadeYet)
  const end = (await host.log.endOffsets(source))[partition] ?? 0
  if (found === null && end === 0) return []
  if (found === null) throw new LoomlogError('view-corrupt', `there is no view of the ${end} records of ${source}`)
  const scratch = await mkdtemp(join(tmpdir(), 'loomlog-verify-'))
  const into = await viewStore(host, scratch).write(shard)
  try {
    const watermarks = new Map<Table, number>()
    for (const table of tables) watermarks.set(table, (await found.watermark(table)).offset)
    const { log, codec, partitions } = host
    await rebuild({ log, codec, source, partition, partitions, watermarks, into })
    const verified: VerifiedTable[] = []
    for (const [table, watermark] of watermarks) {
      verified.push({
        topic,
        view,
        partition,
        table: table.name,
        watermark,
        ...(await compareTable(found, into, table)),
        unreadable: null,
      })
    }
    return verified
  } finally {
    await found.close()
    await into.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

async function compareTable(found: ReadableShard, expected: ReadableShard, table: Table) {
  const shown: Difference[] = []
  let differences = 0
  for await (const difference of compareDumps(dumpTable(found, table), dumpTable(expected, table))) {
    differences += 1
    if (shown.length < maxShown) shown.push(difference)
  }
  return { differences, shown }
}

/** @throws any other error */
function unreadable(error: unknown, { topic, view, partition }: ShardPlace): VerifiedTable {
  if (!isLoomlogError(error, 'view-corrupt')) throw error
  return { topic, table: topic, view, partition, watermark: 0, differences: 1, shown: [], unreadable: error.message }
}

/** Null for a shard that has no data yet. */
function notMadeYet(error: unknown): null {
  if (isLoomlogError(error, 'not-found')) return null
  throw error
}
