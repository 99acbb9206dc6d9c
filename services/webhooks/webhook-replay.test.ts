/** Replays of parked events are made when they are requested, in turns of a slot. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { replayParked, webhookKeyOf } from '@loomlog/feed/webhook-store'
import { receiver, waitUntil, webhooksFixture } from './fixture.ts'

const hourMs = 3_600_000

test('a requested replay does not wait for the backoff of the failing event, and does not end it', async (t) => {
  const fixture = await webhooksFixture(t)
  const parkedEvent = 'acme/home 0'
  let isMended = false
  const target = await receiver(t, ({ headers }, response) => {
    const isAccepted = isMended && headers['webhook-id'] === parkedEvent
    response.writeHead(isAccepted ? 200 : 429, { 'retry-after': '7200' }).end()
  })
  const { webhook } = await fixture.create(target.url)
  await fixture.start({ limits: { attemptsAfterParking: 1_000_000 } })
  await fixture.publish(2)
  await waitUntil(() => fixture.failing.has(webhook.id))
  await waitUntil(async () => {
    fixture.clock.advance(hourMs)
    return (await fixture.webhook(webhook.id))?.parked.has(parkedEvent) === true
  })
  const ofNext = () => target.received.filter(({ headers }) => headers['webhook-id'] !== parkedEvent).length
  await waitUntil(() => fixture.failing.has(webhook.id) && ofNext() > 0)
  const before = ofNext()
  isMended = true
  await replayParked(fixture.store, webhook.id, { tenant: 'acme', by: 'test', events: null })
  await waitUntil(() => target.ids.includes(parkedEvent))
  await waitUntil(async () => (await fixture.webhook(webhook.id))?.parked.size === 0)
  assert.equal(ofNext(), before)
})

test('between two replays of a webhook, others have its slot once its turn is over', async (t) => {
  const fixture = await webhooksFixture(t)
  const arrivals: string[] = []
  let isReplaying = false
  const target = await receiver(t, async ({ headers }, response) => {
    fixture.clock.advance(10_000)
    arrivals.push(`replaying ${headers['webhook-id']}`)
    if (isReplaying) {
      isReplaying = false
      await fixture.publish(1)
      // The other webhook reads the feed every 50 ms, and then waits for the only slot.
      await sleep(1_000)
    }
    response.writeHead(204).end()
  })
  const other = await receiver(t, ({ headers }, response) => {
    arrivals.push(`other ${headers['webhook-id']}`)
    response.writeHead(204).end()
  })
  const { webhook } = await fixture.create(target.url)
  await fixture.create(other.url)
  await fixture.publish(3)
  await fixture.start({ limits: { inFlight: 2, inFlightTroubled: 1 } })
  await waitUntil(() => target.ids.length === 3 && other.ids.length === 3)
  const { id, tenant } = webhook
  const common = { webhook: id, tenant, reason: 'x', attempts: 1, since: 1, at: 1, keyId: null }
  for await (const records of fixture.log.read({ topic: 'memory-events', until: 'end' }))
    for (const [n, { partition, offset }] of records.entries()) {
      const event = { type: 'DeliveryParked', ...common, event: `acme/home ${n}`, partition, offset } as const
      const value = fixture.codec.encode(event)
      await fixture.log.append('webhooks', [{ key: webhookKeyOf(tenant, id), value, timestamp: 1 }])
    }
  arrivals.length = 0
  isReplaying = true
  await replayParked(fixture.store, id, { tenant, by: 'test', events: null })
  await waitUntil(() => arrivals.length === 5)
  assert.deepEqual(arrivals.slice(0, 2), ['replaying acme/home 0', 'other acme/home 3'])
})

test('a parked event of a feed that was derived again stays parked, with this reason, and later events are posted', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t)
  const { webhook } = await fixture.create(target.url)
  const parked = { webhook: webhook.id, tenant: 'acme', event: 'old', reason: 'the answer was 500', attempts: 9 }
  for (const partition of [0, 7]) {
    const event = `${partition}`
    const at = { partition, offset: 4_711, since: 1, at: 2, keyId: null }
    const value = fixture.codec.encode({ type: 'DeliveryParked', ...parked, ...at, event })
    await fixture.log.append('webhooks', [{ key: webhookKeyOf('acme', webhook.id), value, timestamp: 1 }])
  }
  await replayParked(fixture.store, webhook.id, { tenant: 'acme', by: 'test', events: null })
  await fixture.start()
  const current = async () => [...((await fixture.webhook(webhook.id))?.parked.values() ?? [])]
  await waitUntil(async () => (await current()).every(({ attempts }) => attempts === 10))
  for (const { reason } of await current()) assert.match(reason, /it was derived again/)
  await fixture.publish(1)
  await waitUntil(() => target.ids.length === 1)
  assert.equal((await fixture.webhook(webhook.id))?.status, 'enabled')
})
