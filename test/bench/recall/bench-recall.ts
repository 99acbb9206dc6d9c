/**
 * The latency of recall without the embedding of the question: `npm run bench -- recall [--rows 200000] [--space 10000] [--questions 200]
 * [--json FILE]`. A space of `space` memories in a shard of `rows` is measured first quiet, then while another process writes and compacts;
 * then spaces of 1 to 100 sessions. The floor is measured in the same run: the bare LanceDB queries of each recall.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { Embedder } from '@loomlog/models/embedder'
import { recall } from '@loomlog/recall/recall'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import { Codec } from '@loomlog/schemas/codec'
import { utterances } from '@loomlog/views/tables/utterances'
import { writeResult } from '../../figures/result.ts'
import { seeded } from '../../seeded.ts'
import { BareLance, type Call, recorded } from './bare-lance.ts'
import {
  fillLog,
  fillShards,
  leastShard,
  measured,
  openReader,
  rowsOf,
  type Sizes,
  sessionCounts,
  sessionsSpace,
  vectorSpace,
} from './crowded-shard.ts'
import { question, unitVector } from './synthetic-memories.ts'

const warmUps = 10

interface Times {
  readonly p50Ms: number
  readonly p99Ms: number
}

export async function benchRecall(args: readonly string[]): Promise<void> {
  const number = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: { rows: number, space: number, questions: number, json: number },
  })
  const sizes = { shard: Number(values.rows ?? 200_000), space: Number(values.space ?? 10_000) }
  const questions = Number(values.questions ?? 200)
  if (!(sizes.shard >= leastShard(sizes))) {
    throw new LoomlogError('input-invalid', `--rows is ${values.rows}: expected ${leastShard(sizes)} or more`)
  }
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  try {
    const views = join(dir, 'views')
    console.log(`filling a shard with ${sizes.shard} memories`)
    await fillShards(views, sizes)
    const times = await measure(dir, views, sizes, questions)
    await writeResult(values.json, 'bench -- recall', { ...sizes, questions, ...times })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function measure(dir: string, views: string, sizes: Sizes, count: number) {
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
  await fillLog(log, rowsOf(utterances, sizes))
  const codec = await Codec.open(log.schemas)
  const reader = openReader(views)
  const { views: recording, take } = recorded(reader)
  const options = { log, codec, views: recording, embedder: randomEmbedder() }
  const bare = new BareLance(views)
  try {
    const { recalls, floor } = await alternating(options, take, bare, count)
    const quiet = printed('recall, quiet', timesOf(recalls))
    const bareTimes = printed('its LanceDB queries, bare', timesOf(floor))
    const overFloor = { p50: quiet.p50Ms / bareTimes.p50Ms, p99: quiet.p99Ms / bareTimes.p99Ms }
    console.log(`${overFloor.p50.toFixed(2)} times the floor at p50, ${overFloor.p99.toFixed(2)} at p99 (target: 1.3)`)
    const busy = printed('recall, during writes', await duringWrites(dir, views, () => ask(measured, options, count)))
    take()
    const overQuiet = busy.p99Ms / quiet.p99Ms
    console.log(`p99 is ${overQuiet.toFixed(2)} times the quiet one (target: 2)`)
    const growth: ({ readonly sessions: number } & Times)[] = []
    for (const sessions of sessionCounts) {
      const times = await ask(sessionsSpace(sessions), options, count)
      growth.push({ sessions, ...printed(`recall in ${sessions} sessions`, timesOf(times)) })
      take()
    }
    return { quiet, floor: bareTimes, overFloor, busy, overQuiet, growth }
  } finally {
    await bare.close()
    await reader.close()
    await log.close()
  }
}

/** Alternates between recall and its floor, so that other load on the machine falls on both. */
async function alternating(options: RecallOptions, take: () => readonly Call[], bare: BareLance, count: number) {
  const random = seeded(1)
  const recalls: number[] = []
  const floor: number[] = []
  for (let n = 0; n < count + warmUps; n++) {
    const request = { space: measured, query: question(random) }
    const recallMs = await timed(() => recall(request, options))
    const calls = take()
    const floorMs = await timed(() => bare.ask(calls))
    if (n < warmUps) continue
    recalls.push(recallMs)
    floor.push(floorMs)
  }
  return { recalls, floor }
}

async function ask(space: string, options: RecallOptions, count: number): Promise<readonly number[]> {
  const random = seeded(2)
  const times: number[] = []
  for (let n = 0; n < count + warmUps; n++) {
    const query = question(random)
    const ms = await timed(() => recall({ space, query }, options))
    if (n >= warmUps) times.push(ms)
  }
  return times
}

async function duringWrites(dir: string, views: string, work: () => Promise<readonly number[]>): Promise<Times> {
  const writer = fork(new URL('./writer.ts', import.meta.url), [dir, views])
  await once(writer, 'message')
  try {
    const times = await work()
    writer.send('stop')
    const [{ rows, optimizes }] = (await once(writer, 'message')) as [{ rows: number; optimizes: number }]
    console.log(`meanwhile ${rows} memories were written, and tables were compacted ${optimizes} times`)
    return timesOf(times)
  } finally {
    writer.kill()
  }
}

/** An embedder without cost: every vector is random. */
function randomEmbedder(): Embedder {
  const random = seeded(3)
  return {
    space: vectorSpace,
    embed: async (texts) => texts.map(() => unitVector(vectorSpace.dimensions, random)),
    close: async () => {},
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

function timesOf(ms: readonly number[]): Times {
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}

function printed(name: string, times: Times): Times {
  console.log(`${name}: p50 ${times.p50Ms.toFixed(1)} ms, p99 ${times.p99Ms.toFixed(1)} ms`)
  return times
}
