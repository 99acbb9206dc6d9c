/** Messages from before a forgetting are given to no reader, whether the tail holds them or the log has them. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { PublishedEvent } from '@loomlog/schemas/events'
import { defaultFeedReadLimits as limits } from './feed-limits.ts'
import { memoryEvents } from './feed-message.ts'
import { FeedReader } from './feed-reader.ts'
import { FeedTail } from './feed-tail.ts'

const { signal } = new AbortController()

/** A feed in one partition, with a reader from its beginning. */
async function feed(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-feed-'))
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'memory-events', partitions: 1, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const beginnings = new Map<string, number>()
  const beginningOf = async (space: string) => beginnings.get(space) ?? 0
  const tails: FeedTail[] = []
  t.after(async () => {
    for (const tail of tails) await tail.close()
    await log.close()
    await rm(dir, { recursive: true })
  })
  /** @returns the titles and types of messages that a new reader gets */
  const reader = async () => {
    const onRetryableError = (error: unknown) => assert.fail(String(error))
    const tail = new FeedTail({ topic: memoryEvents, log, codec, limits, beginningOf, onRetryableError })
    tails.push(tail)
    await tail.start()
    const scope = { tenant: 'acme', spaces: null, types: null }
    const admit = <T>(_signal: AbortSignal, work: () => Promise<T>) => work()
    const feedReader = new FeedReader(scope, { log, codec, tail, partitions: 1, limits, admit })
    return async () => {
      const end = (await log.endOffsets('memory-events'))[0] ?? 0
      await tail.changed(new Map([[0, end - 1]]), 10_000, signal)
      const { messages, next } = await feedReader.read([0], signal)
      assert.deepEqual(next, [end])
      return messages.map(({ json }) => (JSON.parse(json) as { data: { title?: string } }).data.title ?? 'forgotten')
    }
  }
  const publish = (...events: readonly PublishedEvent[]) =>
    log.append(
      'memory-events',
      events.map((event) => ({ key: `acme/${event.space}`, value: codec.encode(event), timestamp: event.at })),
    )
  return { beginnings, reader, publish }
}

function link(space: string, title: string): PublishedEvent {
  const place = { id: `${space} ${title}`, tenant: 'acme', space, generation: 'g', at: 1 }
  const memory = { memory: title, change: 'inserted', because: 'derived', trace: 't', title } as const
  return { type: 'LinkPublished', ...place, ...memory, event: 'e', previous: null, score: 1, position: 1, keyId: null }
}

const place = { id: 'f', tenant: 'acme', space: 'home', generation: 'g', at: 2 }
const marker = { forgetting: 'f1', retracted: 1, keyId: null }
const forgotten: PublishedEvent = { type: 'ForgettingPublished', ...place, ...marker }

test('a tail holds no message of a space from before its forgetting, and those of other spaces', async (t) => {
  const { reader, publish } = await feed(t)
  const read = await reader()
  await publish(link('home', 'Canary'), link('other', 'Boat'))
  assert.deepEqual(await read(), ['Canary', 'Boat'])
  await publish(forgotten, link('home', 'Kept'))
  assert.deepEqual(await read(), ['Boat', 'forgotten', 'Kept'])
})

test('while a forgetting is under way, messages before its marker are left out, and the reader passes them', async (t) => {
  const { beginnings, reader, publish } = await feed(t)
  await publish(link('home', 'Canary'), link('other', 'Boat'))
  const ofLog = await reader()
  beginnings.set('acme/home', Number.POSITIVE_INFINITY)
  assert.deepEqual(await ofLog(), ['Boat'])
  await publish(forgotten, link('home', 'Kept'))
  beginnings.set('acme/home', 2)
  assert.deepEqual(await ofLog(), ['Boat', 'forgotten', 'Kept'])
})
