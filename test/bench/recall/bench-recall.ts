/**
 * The latency of recall without the embedding of the question: `npm run bench -- recall [--case "10000 in 200000"]
 * [--questions 200] [--dir DIR] [--json FILE]`. A case gives the number of memories in the space and in its shard; the
 * option may be repeated. The folder keeps the shards for the next run. Each case is measured warm (the space is in
 * memory), with sixteen callers, while another process writes and compacts, and cold (the reader was just opened). Its
 * floors follow.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { Embedder } from '@loomlog/models/embedder'
import { recall } from '@loomlog/recall/recall'
import { Codec } from '@loomlog/schemas/codec'
import type { ViewReader } from '@loomlog/views/reader'
import { SpaceCache } from '@loomlog/views/space-cache'
import { utterances } from '@loomlog/views/tables/utterances'
import { writeResult } from '../../figures/result.ts'
import { seededRandom } from '../../seeded-random.ts'
import { fillLog, fillShards, measuredSpace, openReader, rowsOf, type Sizes, vectorSpace } from './crowded-shard.ts'
import { BareLance, recordCalls } from './floors/bare-lance.ts'
import { bruteForce } from './floors/brute-force.ts'
import { openSqliteFloor } from './floors/sqlite.ts'
import { question, unitVector } from './synthetic-memories.ts'
import { measureTimes, printTimes, type Times } from './times.ts'

const warmUps = 20
/** The cold measurement and the floors use this share of the questions, because they are slow. */
const coldShare = 0.1
const callers = 16

export async function benchRecall(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const options = { case: { ...text, multiple: true }, questions: text, dir: text, json: text } as const
  const { values } = parseArgs({ args: [...args], options })
  const questions = Number(values.questions ?? 200)
  const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-bench-')))
  try {
    const figures: { [name: string]: Awaited<ReturnType<typeof measureCase>> } = {}
    for (const name of values.case ?? ['10000 in 200000']) {
      figures[name] = await measureCase(name, join(dir, name.replaceAll(' ', '-')), questions)
    }
    await writeResult(values.json, 'bench -- recall', { questions, recall: figures })
  } finally {
    if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
  }
}

async function measureCase(name: string, dir: string, count: number) {
  const [, space = 0, shard = 0] = (/^(\d+) in (\d+)$/.exec(name) ?? []).map(Number)
  if (!(space > 0 && shard >= 2 * space)) {
    throw new LoomlogError('input-invalid', `--case is ${name}: expected "SPACE in SHARD", the shard twice as large`)
  }
  console.log(`a space of ${space} memories in a shard of ${shard}`)
  const views = join(dir, 'views')
  // Views without a log are refused, so the log is first.
  const log = openSqliteLog({ dir })
  await fillOnce(views, { space, shard })
  await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
  const [end = 0] = await log.endOffsets('utterances')
  await fillLog(log, rowsOf(utterances, { shard }) - end)
  const shared = { log, codec: await Codec.open(log.schemas), embedder: randomEmbedder() }
  const random = seededRandom(1)
  const ask = (views: ViewReader) => recall({ space: measuredSpace, query: question(random) }, { ...shared, views })
  const cache = new SpaceCache()
  let reader = openReader(views, cache)
  const coldly = async () => {
    await reader.close()
    reader = openReader(views, cache)
  }
  const slow = Math.max(5, Math.ceil(coldShare * count))
  try {
    await measureTimes(warmUps, () => ask(reader))
    const warm = printTimes('warm', await measureTimes(count, () => ask(reader)))
    const cacheMb = Number((cache.bytes / 1e6).toFixed(1))
    console.log(`  in memory: ${cacheMb} MB`)
    const startedAt = performance.now()
    const sixteen = printTimes('sixteen callers', await measureTimes(count, () => ask(reader), { callers }))
    const perSecond = Math.round((1_000 * count) / (performance.now() - startedAt))
    console.log(`  ${perSecond} recalls a second`)
    const busy = printTimes(
      'during writes',
      await duringWrites(dir, views, () => measureTimes(count, () => ask(reader))),
    )
    const cold = printTimes('cold', await measureTimes(slow, () => ask(reader), { prepare: coldly }))
    const floors = await floorsOf(dir, views, { space, shard }, slow, ask)
    return { warm: { ...warm, cacheMb }, sixteen: { ...sixteen, perSecond }, busy, cold, floors }
  } finally {
    await reader.close()
    await log.close()
  }
}

/** Reuses a shard that an earlier run filled completely. */
async function fillOnce(views: string, sizes: Sizes): Promise<void> {
  if (existsSync(views)) return
  console.log('  filling the shard')
  await rm(`${views}.part`, { recursive: true, force: true })
  await fillShards(`${views}.part`, sizes)
  await rename(`${views}.part`, views)
}

/** Without the cache: recall, its bare queries, a simple store, and a loop over vectors. */
async function floorsOf(
  dir: string,
  views: string,
  sizes: Sizes,
  count: number,
  ask: (views: ViewReader) => Promise<unknown>,
) {
  const bare = new BareLance(views)
  const reader = openReader(views, null)
  const { views: recording, take } = recordCalls(reader)
  const file = join(dir, `floor-${process.pid}.db`)
  const sqlite = await openSqliteFloor(file, reader)
  try {
    await ask(reader)
    const uncached = printTimes('without the cache', await measureTimes(count, () => ask(reader)))
    const prepare = async () => {
      take()
      await ask(recording)
    }
    const lancedb = printTimes(
      'its LanceDB queries, bare',
      await measureTimes(count, () => bare.ask(take()), { prepare }),
    )
    const sqliteFts5 = printTimes('SQLite, FTS5 and blobs', await measureTimes(count, sqlite.search))
    const loop = printTimes('two vectors in a plain loop', await measureTimes(count, bruteForce(sizes)))
    return { uncached, lancedb, sqliteFts5, bruteForce: loop }
  } finally {
    sqlite.close()
    await rm(file, { force: true })
    await bare.close()
    await reader.close()
  }
}

async function duringWrites(dir: string, views: string, work: () => Promise<Times>): Promise<Times> {
  const writer = fork(new URL('./writer.ts', import.meta.url), [dir, views])
  await once(writer, 'message')
  try {
    const times = await work()
    writer.send('stop')
    const [{ rows, optimizes }] = (await once(writer, 'message')) as [{ rows: number; optimizes: number }]
    console.log(`  meanwhile ${rows} memories were written, and tables were compacted ${optimizes} times`)
    return times
  } finally {
    writer.kill()
  }
}

/** An embedder without cost: every vector is random. */
function randomEmbedder(): Embedder {
  const random = seededRandom(3)
  return {
    vectorSpace,
    embed: async (texts) => texts.map(() => unitVector(vectorSpace.dimensions, random)),
    close: async () => {},
  }
}
