/**
 * Subscribers over HTTP, by webhook and in a Kafka group, each killed at random moments and resumed, through a
 * promotion and a rollback. Each has every event of the feed once and in the order of its space, and the fold of its
 * events is the live memory.
 */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Caller, localCaller, openAccess } from '@loomlog/access/caller'
import { createWebhook } from '@loomlog/feed/webhook-store'
import { temporaryGateway } from '@loomlog/gateway/fixture'
import { configFrom } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import { freePorts } from '@loomlog/kafka-local/free-ports'
import { foldFeed } from '../../../services/publisher/feed-fold.ts'
import { type PublisherFixture, publisherFixture } from '../../../services/publisher/fixture.ts'
import { randomHistory, spaces } from '../../../services/publisher/random-history.ts'
import { eventually } from '../../eventually.ts'
import type { Environment } from '../loomlog.ts'
import { type FeedSubscriber, httpSubscriber, kafkaSubscriber, webhookSubscriber } from './feed-subscribers.ts'

export interface KilledSubscribers {
  /** The number of kills of each subscriber. */
  readonly kills: number
  /** The environment that names the log. */
  readonly log: Environment
  readonly sessionMs: number
  chance(below: number): number
  say(text: string): void
}

interface AfterHook {
  after(end: () => Promise<unknown>): void
  diagnostic(text: string): void
}

const webhookKey = 'k'.repeat(32)
const tenant = 'acme'
/** A kill comes after the first new event, or after this time: a round may have events of the other tenant only. */
const quietMs = 5_000

/** @returns the number of events by name of the subscriber */
export async function testKilledSubscribers(
  scope: AfterHook,
  { kills, log, sessionMs, chance, say }: KilledSubscribers,
): Promise<{ readonly [subscriber: string]: number }> {
  const made = await publisherFixture(scope, (dir) => openLog(configFrom({ ...log, LOOMLOG_DIR: dir })))
  const history = randomHistory(made, chance)
  made.promote('a')
  const publisher = await made.start({ sessionMs })
  const { url, close } = await gatewayOf(scope, made)
  const subscribers = await subscribersOf(made, url, { ...log, LOOMLOG_SESSION_MS: String(sessionMs) })
  try {
    // Generations a and b share stages, so a promotion publishes differences.
    const promotions = new Map([
      [Math.floor(kills / 3), 'b'],
      [Math.floor((2 * kills) / 3), 'a'],
    ] as const)
    await history.rounds(9)
    await made.untilPublished()
    for (let kill = 0; kill < kills; kill++) {
      for (const subscriber of subscribers) subscriber.start()
      await history.rounds(2)
      const generation = promotions.get(kill)
      if (generation !== undefined) {
        made.promote(generation)
        await untilFollowed(made, generation)
      }
      await Promise.all(subscribers.map((subscriber) => killOnce(subscriber, { afterMs: chance(400), at: chance(2) })))
      if ((kill + 1) % 10 === 0)
        say(`${kill + 1} kills: ${subscribers.map(({ name, ids }) => `${name} ${ids().length}`).join(', ')}`)
    }
    await made.untilPublished()
    for (const subscriber of subscribers) subscriber.start()
    const feed = await made.feed()
    const switches = feed.filter((event) => event.tenant === tenant && event.type === 'GenerationSwitched')
    const bySpace = [...Map.groupBy(switches, ({ space }) => space).values()]
    const most = Math.max(...bySpace.map(({ length }) => length))
    assert.equal(most, 3, 'the first generation, the promotion and the rollback')
    const counts: { [subscriber: string]: number } = {}
    for (const subscriber of subscribers) {
      const own = feed.filter((event) => subscriber.tenant === null || event.tenant === subscriber.tenant)
      await eventually(() => assert.equal(subscriber.ids().length, own.length, subscriber.name))
      assertInOrder(subscriber, own)
      counts[subscriber.name] = own.length
    }
    for (const place of spaces) {
      const { memories } = foldFeed(feed).get(`${place.tenant}/${place.space}`) ?? { memories: new Map() }
      assert.deepEqual([...memories].sort(), history.expected(place))
    }
    assert.deepEqual(made.errors, [])
    return counts
  } finally {
    await Promise.all(subscribers.map((subscriber) => subscriber.end()))
    await close()
    await publisher.close()
  }
}

/** Waits until a space's feed follows the generation: another promotion before that would skip it. */
async function untilFollowed(made: PublisherFixture, generation: string): Promise<void> {
  await eventually(async () => {
    const own = (await made.feed()).filter((event) => event.tenant === tenant)
    assert.ok([...foldFeed(own).values()].every((space) => space.generation === generation))
  })
}

async function killOnce(
  subscriber: FeedSubscriber,
  { afterMs, at }: { readonly afterMs: number; readonly at: number },
): Promise<void> {
  const before = subscriber.ids().length
  await eventually(() => assert.ok(subscriber.ids().length > before), quietMs).catch(() => {})
  await sleep(afterMs)
  await subscriber.kill(at)
}

/** Every event once, and those of a space in their order. */
function assertInOrder(subscriber: FeedSubscriber, feed: Awaited<ReturnType<PublisherFixture['feed']>>): void {
  const ids = subscriber.ids()
  for (const space of new Set(feed.map((event) => `${event.tenant}/${event.space}`))) {
    const expected = feed.filter((event) => `${event.tenant}/${event.space}` === space).map(({ id }) => id)
    const own = new Set(expected)
    assert.deepEqual(
      ids.filter((id) => own.has(id)),
      expected,
      `${subscriber.name}: ${space}`,
    )
  }
}

async function subscribersOf(
  made: PublisherFixture,
  url: string,
  log: Environment,
): Promise<readonly FeedSubscriber[]> {
  const [port = 0] = await freePorts(1)
  const hook = { url: `http://127.0.0.1:${port}/`, spaces: null, types: null, from: 'beginning' } as const
  await createWebhook(made, hook, { tenant, by: 'test', dir: made.dir, webhookKey })
  const isOnKafka = log.LOOMLOG_LOG === 'kafka'
  // On Kafka a process has a folder of its own, as on another machine.
  const dir = isOnKafka ? join(made.dir, 'deliverer') : made.dir
  await mkdir(dir, { recursive: true })
  const environment = { ...log, LOOMLOG_DIR: dir, LOOMLOG_WEBHOOK_KEY: webhookKey }
  const subscribers = [httpSubscriber(url, made.dir), webhookSubscriber(environment, made.dir, port)]
  return isOnKafka ? [...subscribers, kafkaSubscriber(log, made.dir)] : subscribers
}

async function gatewayOf(scope: AfterHook, { log, codec }: PublisherFixture) {
  const caller: Caller = { ...localCaller, name: 'key:test', tenant, scopes: new Set(['subscribe']) }
  const access = { ...openAccess, isOpen: false, authenticate: async () => caller }
  const { app } = await temporaryGateway(scope, { log, codec, partitions: 2, access })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, close: () => app.close() }
}
