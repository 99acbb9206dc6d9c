/**
 * Verifies views: rebuilds every table of the live generation's views from the log, up to the watermark of the table in use, and compares the
 * two row by row. A view is a function of the log at its watermark, so any difference is damage, or a bug. Vectors and log times are not
 * compared. One version of each table is read, so writers may continue meanwhile.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { type Host, viewsUri } from '@loomlog/host/open'
import { rebuild } from '@loomlog/materializer/rebuild'
import { tablesOf, type ViewTopic, viewId, viewTopics } from '@loomlog/views/catalogue'
import { compareDumps, type Difference } from '@loomlog/views/compare'
import { dumpTable } from '@loomlog/views/dump'
import { lanceStore } from '@loomlog/views/lancedb'
import type { ReadableShard } from '@loomlog/views/port'
import type { Table } from '@loomlog/views/table'
import { servingOf } from './generations/live.ts'

export interface VerifiedTable {
  readonly topic: ViewTopic
  readonly table: string
  readonly partition: number
  readonly watermark: number
  readonly differences: number
  /** At most `maxShown` of them. */
  readonly shown: readonly Difference[]
}

/** Differences that are listed, a table; the rest is only counted. */
const maxShown = 20

export interface Verification {
  readonly generation: string
  readonly tables: readonly VerifiedTable[]
  /** In all tables. */
  readonly differences: number
}

/**
 * @param views the topics whose views are verified; none: all
 * @throws LoomlogError `input-invalid`, `embedder-mismatch`
 */
export async function verifyViews(views: readonly string[], host: Host): Promise<Verification> {
  const serving = await servingOf(host, {})
  if (serving.viewEmbedder !== host.embedder.space.name) {
    const message = `the views are of ${serving.viewEmbedder}, and LOOMLOG_EMBEDDER gives ${host.embedder.space.name}`
    throw new LoomlogError('embedder-mismatch', message)
  }
  const tables: VerifiedTable[] = []
  for (const topic of topicsOf(views)) {
    const source = serving.topic(topic)
    for (const partition of (await host.log.endOffsets(source)).keys()) {
      tables.push(...(await verifyShard(host, topic, { source, partition })))
    }
  }
  const differences = tables.reduce((sum, each) => sum + each.differences, 0)
  return { generation: serving.id, tables, differences }
}

function topicsOf(names: readonly string[]): readonly ViewTopic[] {
  const wrong = names.find((name) => !(viewTopics as readonly string[]).includes(name))
  if (wrong === undefined) return names.length === 0 ? viewTopics : (names as readonly ViewTopic[])
  throw new LoomlogError('input-invalid', `--view is ${wrong}: expected ${viewTopics.join(', ')}`)
}

async function verifyShard(
  host: Host,
  topic: ViewTopic,
  place: { readonly source: string; readonly partition: number },
): Promise<readonly VerifiedTable[]> {
  const { source, partition } = place
  const vectorSpace = host.embedder.space
  const tables = tablesOf(topic)
  const shard = { view: viewId(source, vectorSpace.name), partition, tables, vectorSpace }
  const found = await lanceStore(viewsUri(host.config)).read(shard, 'as opened').catch(notMadeYet)
  if (found === null) return []
  const scratch = await mkdtemp(join(tmpdir(), 'loomlog-verify-'))
  const into = await lanceStore(scratch).write(shard)
  try {
    const watermarks = new Map<Table, number>()
    for (const table of tables) watermarks.set(table, (await found.watermark(table)).offset)
    await rebuild({ log: host.log, codec: host.codec, source, partition, watermarks, into })
    const verified: VerifiedTable[] = []
    for (const [table, watermark] of watermarks) {
      verified.push({ topic, table: table.name, partition, watermark, ...(await compareTable(found, into, table)) })
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

/** Nothing was written to the shard yet. */
function notMadeYet(error: unknown): null {
  if (isLoomlogError(error, 'not-found')) return null
  throw error
}
