/** A webhook service that is killed at random moments: an idempotent receiver has every event of the feed once and in order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createWebhook } from '@loomlog/feed/webhook-store'
import { folded } from '../../services/publisher/feed-fold.ts'
import { randomHistory, seededChance, spaces } from '../../services/publisher/random-history.ts'
import { workshop } from '../../services/publisher/workshop.ts'
import { receiver } from '../../services/webhooks/fixture.ts'
import { eventually } from '../eventually.ts'
import { start } from './loomlog.ts'

const program = fileURLToPath(new URL('./deliver-webhooks.ts', import.meta.url))
/** By round. Generations a and b share stages, so a promotion publishes differences. */
const promotions = new Map([
  [2, 'b'],
  [4, 'a'],
] as const)

test('every event arrives once and in order, through kills, a promotion and a rollback', async (t) => {
  const made = await workshop(t)
  const chance = seededChance(t)
  const written = randomHistory(made, chance)
  made.promote('a')
  await made.start()
  const target = await receiver(t, (_, response) => {
    setTimeout(() => response.writeHead(chance(6) === 0 ? 500 : 204).end(), chance(8))
  })
  const settings = { url: target.url, spaces: null, types: null, from: 'beginning' } as const
  await createWebhook(made, settings, { tenant: 'acme', by: 'test', dir: made.dir, webhookKey: null })
  const deliver = () => {
    const running = start([], { LOOMLOG_DIR: made.dir }, program)
    t.after(() => running.process.kill('SIGKILL'))
    return running
  }
  for (let round = 0; round < 7; round++) {
    const { process, finished } = deliver()
    await written.rounds(3)
    const generation = promotions.get(round as 2 | 4)
    if (generation !== undefined) made.promote(generation)
    const before = target.received.length
    // Not asserted: a round may have events of the other tenant only.
    await eventually(() => assert.ok(target.received.length > before), 3_000).catch(() => {})
    await sleep(chance(400))
    process.kill('SIGKILL')
    await finished
  }
  await made.untilPublished()
  const { process, finished } = deliver()
  const feed = (await made.feed()).filter(({ tenant }) => tenant === 'acme')
  await eventually(() => assert.equal(target.ids.length, feed.length))
  process.kill('SIGKILL')
  await finished
  assert.equal(feed.filter(({ type }) => type === 'GenerationSwitched').length, 6, 'both spaces, three times')
  assert.ok(target.received.length > feed.length, 'events were posted again')
  for (const { tenant, space } of spaces.filter((place) => place.tenant === 'acme')) {
    const ofSpace = feed.filter((event) => event.space === space)
    const ids = new Set(ofSpace.map(({ id }) => id))
    assert.deepEqual(
      target.ids.filter((id) => ids.has(id)),
      ofSpace.map(({ id }) => id),
    )
    assert.deepEqual(
      [...(folded(ofSpace).get(`${tenant}/${space}`)?.memories ?? [])].sort(),
      written.expected({ tenant, space }),
    )
  }
})
