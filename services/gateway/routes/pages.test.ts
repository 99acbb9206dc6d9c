/** Lists in pages: of webhooks and their parked events, parked inputs and generations. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { WebhookEvent } from '@loomlog/feed/webhooks'
import { applicationWithoutStages } from '../application-without-stages.ts'
import { temporaryGateway } from '../fixture.ts'

const count = 7
const itemsOf = (name: string) =>
  Array.from({ length: count }, (_, n) => ({ id: `${name}${n}`, at: 1 + Math.floor(n / 3), definedAt: n }))

async function listingGateway(t: TestContext) {
  const { app, log, codec } = await temporaryGateway(t, {
    parked: { ...applicationWithoutStages.parked, list: async () => itemsOf('p') },
    generations: {
      ...applicationWithoutStages.generations,
      list: async () => ({ epoch: 1, live: null, generations: itemsOf('g') }),
    },
  })
  for (let n = 0; n < count; n++)
    await app.inject({ method: 'POST', url: '/v1/webhooks', payload: { url: `https://example.com/${n}` } })
  const [{ id: webhook }] = (await app.inject('/v1/webhooks')).json().webhooks
  for (let n = 0; n < count; n++) {
    const place = { webhook, tenant: 'default', event: `e${n}`, partition: 0, offset: n }
    const event: WebhookEvent = {
      type: 'DeliveryParked',
      ...place,
      reason: '500',
      attempts: 1,
      since: 1,
      at: 2,
      keyId: null,
    }
    await log.append('webhooks', [{ key: `default/${webhook}`, value: codec.encode(event), timestamp: 1 }])
  }
  return { app, webhook }
}

test('a list has every item once over its pages, in one order, and refuses the cursor of another list', async (t) => {
  const { app, webhook } = await listingGateway(t)
  const lists = [
    ['/v1/webhooks', 'webhooks', 'id'],
    [`/v1/webhooks/${webhook}/parked`, 'parked', 'event'],
    ['/v1/parked', 'parked', 'id'],
    ['/v1/generations', 'generations', 'id'],
  ] as const
  for (const [path, field, name] of lists) {
    const whole = (await app.inject(path)).json()
    const namesIn = (page: typeof whole): readonly string[] => page[field].map((item: typeof whole) => item[name])
    assert.deepEqual([new Set(namesIn(whole)).size, whole.next], [count, null], path)
    const found: string[] = []
    let page = (await app.inject(`${path}?limit=3`)).json()
    for (; page.next !== null; page = (await app.inject(`${path}?limit=3&cursor=${page.next}`)).json()) {
      assert.equal(page[field].length, 3, path)
      found.push(...namesIn(page))
      for (const [other] of lists.filter(([each]) => each !== path))
        assert.equal((await app.inject(`${other}?cursor=${page.next}`)).statusCode, 400, `${other} after ${path}`)
    }
    assert.deepEqual([...found, ...namesIn(page)], namesIn(whole), path)
    assert.equal((await app.inject(`${path}?limit=501`)).statusCode, 400, path)
  }
})

test('a webhook that is removed between two pages hides no other', async (t) => {
  const { app } = await listingGateway(t)
  const first = (await app.inject('/v1/webhooks?limit=3')).json()
  const removed = first.webhooks.at(-1).id
  await app.inject({ method: 'DELETE', url: `/v1/webhooks/${removed}` })
  const second = (await app.inject(`/v1/webhooks?cursor=${first.next}`)).json()
  assert.equal(second.webhooks.length, count - 3)
})
