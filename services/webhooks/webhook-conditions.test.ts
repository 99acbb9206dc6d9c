/** The condition of a failing webhook ends with its cause, also if no event follows. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { changeWebhook } from '@loomlog/feed/webhook-store'
import { receiver, waitUntil, webhooksFixture } from './fixture.ts'

const hourMs = 3_600_000

test('after its last event is parked, a webhook no longer fails', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t, (_, response) => response.writeHead(500).end())
  const { webhook } = await fixture.create(target.url)
  await fixture.start()
  await fixture.publish(1)
  await waitUntil(() => fixture.failing.has(webhook.id))
  await waitUntil(async () => {
    fixture.clock.advance(hourMs)
    return (await fixture.webhook(webhook.id))?.parked.size === 1
  })
  assert.deepEqual([...fixture.failing], [])
})

test('a resumed webhook is no longer disabled, before its receiver answers', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t, (_, response) => {
    if (target.received.length === 1) response.writeHead(410).end()
  })
  const { webhook } = await fixture.create(target.url)
  await fixture.start()
  await fixture.publish(1)
  await waitUntil(() => /is disabled/.test(fixture.failing.get(webhook.id) ?? ''))
  await changeWebhook(fixture.store, webhook.id, { tenant: 'acme', by: 'test', status: 'enabled' })
  await waitUntil(() => target.received.length === 2)
  assert.deepEqual([...fixture.failing], [])
})

test('webhooks without their key are one condition, which ends when the process gets the key', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t)
  for (const space of ['home', 'office']) await fixture.create(target.url, { spaces: [space] })
  await fixture.publish(2, ['acme/home', 'acme/office'])
  await fixture.start({ webhookKey: null })
  await waitUntil(() => fixture.failing.size > 0)
  assert.deepEqual([...fixture.failing.keys()], ['key'])
  await writeFile(join(fixture.dir, 'webhook-key'), fixture.key.webhookKey)
  fixture.clock.advance(10_000)
  await waitUntil(() => fixture.failing.size === 0 && target.ids.length === 4)
})

test('a paused webhook no longer waits for its key', async (t) => {
  const fixture = await webhooksFixture(t)
  const target = await receiver(t)
  const { webhook } = await fixture.create(target.url)
  await fixture.start({ webhookKey: null })
  await waitUntil(() => fixture.failing.has('key'))
  await changeWebhook(fixture.store, webhook.id, { tenant: 'acme', by: 'test', status: 'paused' })
  await waitUntil(() => fixture.failing.size === 0)
})
