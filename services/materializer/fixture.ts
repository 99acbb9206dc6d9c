/** For tests: a log with a topic of one partition, and its view in a folder that is removed when the test ends. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, Membership } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { VectorCache } from '@loomlog/models/vector-cache'
import { type Throttle, unthrottled } from '@loomlog/runtime/throttle'
import { Codec } from '@loomlog/schemas/codec'
import type { LoomEvent } from '@loomlog/schemas/events'
import type { TopicName } from '@loomlog/topics/catalogue'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import { dumpTable } from '@loomlog/views/dump'
import { lanceStore } from '@loomlog/views/lancedb'
import type { ReadableShard } from '@loomlog/views/port'
import type { Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { materialize, type ViewOptions } from './materializer.ts'

export const vectorSpace = { name: 'toy-4', dimensions: 4 }
export const key = 'acme/home'
/** The embedder never answers for this text. */
export const unanswered = 'for ever'

/** A log with a topic of one partition, its view, and how often each text was embedded. */
export async function materializerFixture(t: TestContext, topic: TopicName) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-materializer-'))
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: topic, partitions: 1, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const members = new Set<Membership>()
  const embedded: string[] = []
  const errors: unknown[] = []
  const remade: string[] = []
  t.after(async () => {
    await Promise.all([...members].map((member) => member.close()))
    await log.close()
    cache.close()
    await rm(dir, { recursive: true })
  })
  const embedder: ViewOptions['vectors']['embedder'] = {
    vectorSpace,
    async embed(texts) {
      embedded.push(...texts)
      if (texts.includes(unanswered)) return new Promise(() => {})
      return texts.map((text) => Float32Array.of(1, text.length % 3, 0, 0))
    },
    close: async () => {},
  }
  const completions = { follow: async () => {}, lookup: async () => null }
  const cache = new VectorCache({
    dir,
    sealing: null,
    vectorSpace: vectorSpace.name,
    maxBytes: 1_000_000,
    onRebuild: () => {},
  })

  async function start(views = 'views', over: Log = log, throttle: Throttle = unthrottled): Promise<Membership> {
    const options = {
      log: over,
      codec,
      vectors: { embedder, completions, cache },
      store: lanceStore(join(dir, views)),
      topic,
      tables: tablesOf(topic),
      source: topic,
      partitions: 1,
      sessionMs: 500,
      throttle,
    }
    const onRebuild = (message: string) => remade.push(message)
    const member = await materialize({ ...options, onRebuild, onError: (error) => errors.push(error) })
    members.add(member)
    return member
  }
  const append = async (...events: readonly LoomEvent[]) => {
    const records = events.map((event) => ({ key, value: codec.encode(event), timestamp: 0 }))
    await log.append(topic, records)
  }
  const open = (views = 'views') => {
    const view = viewId(topic, vectorSpace.name)
    return lanceStore(join(dir, views)).read({ view, partition: 0, tables: tablesOf(topic), vectorSpace }, 'latest')
  }
  /** The dump of all tables of the view; null until every one of them has come to the end of the log. */
  async function dumpAt(end: number, views: string): Promise<string[] | null> {
    const shard = await open(views).catch(() => null)
    return shard && dumpOf(shard, end).catch(() => null)
  }
  /** Fails if the shard is discarded meanwhile. */
  async function dumpOf(shard: ReadableShard, end: number): Promise<string[] | null> {
    const tables = tablesOf(topic)
    const marks = await Promise.all(tables.map((name) => shard.watermark(name)))
    const lines: string[] = []
    for (const name of tables) for await (const line of dumpTable(shard, name)) lines.push(line)
    await shard.close()
    return marks.every((mark) => mark.offset === end) ? lines : null
  }
  async function dump(views = 'views'): Promise<string[]> {
    const [end = 0] = await log.endOffsets(topic)
    for (const deadline = Date.now() + 90_000; Date.now() < deadline; await sleep(50)) {
      const lines = await dumpAt(end, views)
      if (lines) return lines
    }
    assert.fail(`the view does not come to ${end}: ${errors}`)
  }
  const rows = async (table: Table): Promise<readonly Row[]> => {
    const shard = await open()
    const found = await shard.scan(table, { space: key, limit: 100 })
    await shard.close()
    return found
  }
  return { dir, log, codec, embedded, errors, remade, start, append, dump, rows, open }
}
