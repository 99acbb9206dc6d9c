/**
 * Webhooks on a real log, with real receivers: order, signatures, filters, retries, parking, and receivers that
 * misbehave.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeWebhook, replayParked } from '@loomlog/feed/webhook-store'
import { recordSpans } from '@loomlog/telemetry/recorded-spans'
import { traceIds } from '@loomlog/telemetry/spans'
import { Webhook } from 'standardwebhooks'
import { receiver, waitUntil, webhooksFixture } from './fixture.ts'

const hourMs = 3_600_000
const idsOf = (space: string, count: number) => Array.from({ length: count }, (_, n) => `${space} ${n}`)

test('every event arrives once and in order, signed by Standard Webhooks', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t)
  const { secret } = await fixture.create(target.url)
  await fixture.start()
  await fixture.publish(20)
  await waitUntil(() => target.ids.length === 20)
  assert.deepEqual(
    target.received.map(({ headers }) => headers['webhook-id']),
    idsOf('acme/home', 20),
  )
  for (const { body, headers } of target.received) {
    const event = new Webhook(secret).verify(body, headers) as { readonly id: string }
    assert.equal(event.id, headers['webhook-id'])
    assert.throws(() => new Webhook(secret).verify(body.replace('acme', 'acmf'), headers), /matching signature/)
    assert.throws(() => new Webhook(`whsec_${btoa('x'.repeat(32))}`).verify(body, headers), /matching signature/)
  }
})

test('an event carries its trace to the receiver, with one span an attempt', async (t) => {
  const spans = recordSpans(t)
  const fixture = await webhooksFixture(t)
  let attempts = 0
  const target = await receiver(t, (_request, response) => response.writeHead(attempts++ === 0 ? 500 : 204).end())
  await fixture.create(target.url)
  const reported: object[] = []
  await fixture.start({
    onFailing: (webhook, { text }) => {
      fixture.failing.set(webhook, text)
      reported.push(traceIds())
    },
  })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await fixture.publish(1, ['acme/home'], { traceparent, timestamp: Date.now() })
  await waitUntil(() => fixture.failing.size === 1)
  fixture.clock.advance(2_000)
  await waitUntil(() => spans().length === 2)
  const sent = spans().map((span) => [span.name, span.traceparent, span.parentSpanId, span.error])
  const received = target.received.map(({ headers }) => headers.traceparent)
  assert.deepEqual(sent, [
    ['POST webhook', received[0], 'b7ad6b7169203331', 'failed'],
    ['POST webhook', received[1], 'b7ad6b7169203331', null],
  ])
  assert.ok(received.every((each) => each?.includes('0af7651916cd43dd8448eb211c80319c')))
  const [, trace_id, span_id, trace_flags] = received[0]?.split('-') ?? []
  assert.deepEqual(reported, [{ trace_id, span_id, trace_flags }], 'the report of the failure is in the span')
})

test('a webhook receives its tenant, its spaces and its types only', async (t) => {
  const fixture = await webhooksFixture(t)
  const [all, home, marks, other] = [await receiver(t), await receiver(t), await receiver(t), await receiver(t)]
  await fixture.create(all.url)
  await fixture.create(home.url, { spaces: ['home'] })
  await fixture.create(marks.url, { types: ['loomlog.progress.marked'] })
  await fixture.create(other.url, {}, 'acm')
  await fixture.start()
  await fixture.publish(9, ['acme/home', 'acme/work', 'acm/home', 'acme2/home'])
  await waitUntil(
    () => all.ids.length === 18 && home.ids.length === 9 && marks.ids.length === 6 && other.ids.length === 9,
  )
  for (const space of ['acme/home', 'acme/work'])
    assert.deepEqual(
      all.ids.filter((id) => id.startsWith(space)),
      idsOf(space, 9),
    )
  assert.deepEqual(home.ids, idsOf('acme/home', 9))
  assert.ok(marks.ids.every((id) => /(home|work) [036]$/.test(id)))
  assert.deepEqual(other.ids, idsOf('acm/home', 9))
})

test('a receiver that is away for an hour gets everything, once and in order', async (t) => {
  const fixture = await webhooksFixture(t)
  const before = await receiver(t)
  const { webhook } = await fixture.create(before.url)
  await fixture.start()
  await fixture.publish(5)
  await waitUntil(() => before.ids.length === 5)
  await before.close()
  await fixture.publish(5)
  for (let awayMs = 0; awayMs < hourMs; awayMs += hourMs / 20) {
    await waitUntil(() => fixture.failing.has(webhook.id))
    fixture.clock.advance(hourMs / 20)
  }
  const after = await receiver(t, undefined, Number(new URL(before.url).port))
  await waitUntil(async () => {
    fixture.clock.advance(60_000)
    return after.ids.length === 5
  })
  assert.deepEqual([...before.ids, ...after.ids], idsOf('acme/home', 10))
  await waitUntil(() => !fixture.failing.has(webhook.id))
  assert.equal((await fixture.webhook(webhook.id))?.parked.size, 0)
})

test('an event that fails for a day is parked, the next ones arrive, and a command replays it', async (t) => {
  const fixture = await webhooksFixture(t)
  let isPoisonous = true
  const target = await receiver(t, ({ headers }, response) => {
    const fails = isPoisonous && headers['webhook-id'] === 'acme/home 2'
    response.writeHead(fails ? 500 : 200).end(fails ? 'a null pointer' : '')
  })
  const { webhook } = await fixture.create(target.url)
  await fixture.start()
  await fixture.publish(5)
  await waitUntil(() => fixture.failing.has(webhook.id))
  await waitUntil(async () => {
    fixture.clock.advance(hourMs)
    return target.ids.length === 4
  })
  const parkedNow = async () => [...((await fixture.webhook(webhook.id))?.parked.values() ?? [])]
  await waitUntil(async () => (await parkedNow()).length > 0)
  const parked = await parkedNow()
  assert.deepEqual(
    parked.map(({ event, reason }) => [event, reason]),
    [['acme/home 2', 'the receiver answers 500: a null pointer']],
  )
  const replay = async () => {
    await replayParked(fixture.store, webhook.id, { tenant: 'acme', by: 'test', events: null })
    await waitUntil(async () => (await parkedNow()).every(({ isReplaying }) => !isReplaying))
    return (await fixture.webhook(webhook.id))?.parked
  }
  assert.equal((await replay())?.get('acme/home 2')?.attempts, (parked[0]?.attempts ?? 0) + 1)
  isPoisonous = false
  assert.equal((await replay())?.size, 0)
  assert.deepEqual(target.ids.toSorted(), idsOf('acme/home', 5))
})

test('a receiver that fails for longer disables the webhook, and a resumed webhook continues at its position', async (t) => {
  const fixture = await webhooksFixture(t)
  let isBroken = true
  const target = await receiver(t, (_, response) => {
    response.writeHead(isBroken ? 503 : 200).end()
  })
  const { webhook } = await fixture.create(target.url)
  await fixture.start()
  await fixture.publish(5)
  await waitUntil(async () => {
    fixture.clock.advance(hourMs)
    return (await fixture.webhook(webhook.id))?.status === 'disabled'
  })
  const posted = target.received.length
  isBroken = false
  fixture.clock.advance(24 * hourMs)
  await changeWebhook(fixture.store, webhook.id, { tenant: 'acme', by: 'test', status: 'enabled' })
  await waitUntil(() => target.ids.length === 4)
  assert.deepEqual(target.ids, idsOf('acme/home', 5).slice(1))
  assert.deepEqual([...((await fixture.webhook(webhook.id))?.parked.keys() ?? [])], ['acme/home 0'])
  assert.equal(target.received.length, posted + 4)
})

test('410 disables the webhook at once, and nothing more is posted', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t, (_, response) => {
    response.writeHead(410).end()
  })
  const { webhook } = await fixture.create(target.url)
  await fixture.start()
  await fixture.publish(3)
  await waitUntil(async () => (await fixture.webhook(webhook.id))?.status === 'disabled')
  fixture.clock.advance(48 * hourMs)
  await fixture.publish(3)
  assert.equal(target.received.length, 1)
})

test('Retry-After is honoured', async (t) => {
  const fixture = await webhooksFixture(t)
  let isBusy = true
  const target = await receiver(t, (_, response) => {
    response.writeHead(isBusy ? 429 : 200, { 'retry-after': '7200' }).end()
  })
  const { webhook } = await fixture.create(target.url)
  const other = await receiver(t)
  await fixture.create(other.url)
  await fixture.start()
  await fixture.publish(1)
  await waitUntil(() => fixture.failing.has(webhook.id) && other.ids.length === 1)
  fixture.clock.advance(2 * hourMs - 1_000)
  // An early retry would be there before the other webhook's next event.
  await fixture.publish(1)
  await waitUntil(() => other.ids.length === 2)
  assert.equal(target.received.length, 1)
  isBusy = false
  fixture.clock.advance(1_000)
  await waitUntil(() => target.ids.length === 2)
})

test('a redirect is not followed, and an endless answer is cut off', async (t) => {
  const fixture = await webhooksFixture(t)
  const inside = await receiver(t)
  const redirecting = await receiver(t, (_, response) => {
    response.writeHead(307, { location: inside.url }).end()
  })
  const endless = await receiver(t, (_, response) => {
    response.writeHead(200)
    const more = () => response.writable && response.write('x'.repeat(60_000), more)
    more()
  })
  const { webhook } = await fixture.create(redirecting.url)
  await fixture.create(endless.url)
  await fixture.start()
  await fixture.publish(2)
  await waitUntil(() => fixture.failing.has(webhook.id) && endless.received.length === 2)
  assert.match(fixture.failing.get(webhook.id) ?? '', /answers 307: redirects are not followed/)
  assert.equal(inside.received.length, 0)
})

test('receivers that hang hold up no other, and open a bounded number of connections', async (t) => {
  const fixture = await webhooksFixture(t)
  const hanging = await receiver(t, () => {})
  const good = await receiver(t)
  for (let n = 0; n < 40; n++) await fixture.create(`${hanging.url}/${n}`)
  await fixture.create(good.url)
  await fixture.start({ limits: { inFlight: 8, inFlightTroubled: 3, timeoutMs: 300, firstRetryMs: 1 } })
  await fixture.publish(10)
  let most = 0
  await waitUntil(async () => {
    most = Math.max(most, await hanging.connections())
    fixture.clock.advance(100)
    return good.ids.length === 10 && hanging.received.length > 60
  })
  assert.ok(most > 0 && most <= 8, `${most} connections`)
  assert.deepEqual(good.ids, idsOf('acme/home', 10))
})

test('a paused webhook posts nothing, a resumed one continues, and a removed one is gone', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t)
  const { webhook } = await fixture.create(target.url)
  const change = (status: 'paused' | 'enabled' | 'removed') =>
    changeWebhook(fixture.store, webhook.id, { tenant: 'acme', by: 'test', status })
  const other = await receiver(t)
  await fixture.create(other.url)
  await fixture.start()
  await fixture.publish(2)
  await waitUntil(() => target.ids.length === 2 && other.ids.length === 2)
  await change('paused')
  const records = async () => (await fixture.log.groups()).reduce((sum, { position }) => sum + position, 0)
  await waitUntil(async () => (await records()) === 3)
  await fixture.publish(2)
  await waitUntil(() => other.ids.length === 4)
  assert.equal(target.received.length, 2)
  await change('enabled')
  await waitUntil(() => target.ids.length === 4)
  assert.deepEqual(target.ids, idsOf('acme/home', 4))
  await change('removed')
  assert.equal(await fixture.webhook(webhook.id), undefined)
  await assert.rejects(change('enabled'), /there is no webhook/)
})

test('a failure of a webhook is no longer reported by a process that lost its lease', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t, (_, response) => response.writeHead(500).end())
  const { webhook } = await fixture.create(target.url)
  const started = await fixture.start()
  await fixture.publish(1)
  await waitUntil(() => fixture.failing.has(webhook.id))
  await started.close()
  assert.deepEqual([...fixture.failing], [])
})

test('a process with another webhook key posts nothing, and reports it', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t)
  await fixture.create(target.url)
  await fixture.start({ webhookKey: 'x'.repeat(32) })
  await fixture.publish(2)
  await waitUntil(() => fixture.failing.has('key'))
  assert.match(fixture.failing.get('key') ?? '', /LOOMLOG_WEBHOOK_KEY/)
  assert.equal(target.received.length, 0)
})
