/** Webhooks over HTTP: creation with a secret, list, pause, resume and removal, each by the webhook's tenant only. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { AddressRule } from '@loomlog/feed/address-rule'
import { feedTopic } from '@loomlog/feed/feed-message'
import { webhookRequestFrom } from '@loomlog/feed/webhook-request'
import { changeWebhook, createWebhook, readWebhooks } from '@loomlog/feed/webhook-store'
import type { Log, ReadOptions } from '@loomlog/log/port'
import { temporaryGateway } from '../fixture.ts'

test('a webhook is made, listed, paused, resumed and removed by its tenant, and its secret is shown once', async (t) => {
  const { app } = await temporaryGateway(t)
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, tenant = 'acme') => {
    const payload = body === undefined ? {} : { payload: body }
    const answer = await app.inject({
      method,
      url: `/v1/webhooks${path}`,
      ...payload,
      headers: { 'x-loomlog-tenant': tenant },
    })
    return [answer.statusCode, answer.json()] as const
  }
  const [made, { id, secret, position, ...webhook }] = await ask('POST', '', {
    url: 'https://example.com/hook',
    spaces: ['home'],
  })
  assert.equal(made, 201)
  assert.match(secret, /^whsec_[\w+/]{43}=$/)
  const again = await ask('POST', '', { url: 'https://example.com/hook', spaces: ['home'] })
  assert.deepEqual(again, [201, { id, secret, position, ...webhook }], 'a retry is the same webhook')
  const [place = '', first = 0] = String(position).split('@')
  assert.match(place, /^webhooks\/[0-3]$/)
  assert.equal(Number(first), 1)
  let offset = 1
  const shown = { id, ...webhook }
  assert.deepEqual([webhook.status, webhook.createdBy, webhook.parked, webhook.types], ['enabled', 'local', 0, null])
  assert.deepEqual(await ask('GET', ''), [200, { webhooks: [shown], next: null }])
  assert.deepEqual(await ask('GET', `/${id}`), [200, shown])
  for (const [path, status] of [
    ['pause', 'paused'],
    ['resume', 'enabled'],
  ])
    assert.deepEqual(await ask('POST', `/${id}/${path}`), [200, { ...shown, status, position: `${place}@${++offset}` }])
  assert.deepEqual(await ask('GET', `/${id}/parked`), [200, { parked: [], next: null }])
  assert.deepEqual(await ask('POST', `/${id}/replay`), [202, { requested: [], position: null }])
  assert.equal((await ask('POST', `/${id}/replay`, { events: ['x'] }))[0], 404)
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['POST', '/replay'],
    ['GET', '/parked'],
  ] as const)
    assert.equal((await ask(method, `/${id}${path}`, undefined, 'other'))[0], 404, path)
  assert.deepEqual(await ask('GET', '', undefined, 'other'), [200, { webhooks: [], next: null }])
  assert.deepEqual((await ask('DELETE', `/${id}`))[1].status, 'removed')
  assert.deepEqual(await ask('GET', ''), [200, { webhooks: [], next: null }])
  assert.equal((await ask('POST', `/${id}/resume`))[0], 404)
})

test('equal requests at once make one webhook, and one from another start makes another', async (t) => {
  const { app, log } = await temporaryGateway(t)
  await log.append(feedTopic, [{ key: 'acme/home', value: Buffer.from('a record'), timestamp: 1 }])
  const create = async (from: 'now' | 'beginning'): Promise<string> => {
    const payload = { url: 'https://example.com/hook', from }
    return (await app.inject({ method: 'POST', url: '/v1/webhooks', payload })).json().id
  }
  const [fromBeginning, retry, fromNow] = await Promise.all([create('beginning'), create('beginning'), create('now')])
  assert.equal(retry, fromBeginning)
  assert.notEqual(fromNow, fromBeginning)
  assert.deepEqual(await Promise.all([create('beginning'), create('now')]), [fromBeginning, fromNow])
  assert.equal((await app.inject('/v1/webhooks')).json().webhooks.length, 2)
})

test('equal requests to two gateways at once make one webhook, and after its removal another one', async (t) => {
  const { log, codec } = await temporaryGateway(t)
  const both = Promise.withResolvers<void>()
  let writers = 0
  // Holds both writes back until both gateways have read the webhooks.
  const append: typeof log.append = async (...records) => {
    writers += 1
    if (writers === 2) both.resolve()
    await both.promise
    return log.append(...records)
  }
  const store = { codec, log: { ...log, append } }
  const request = webhookRequestFrom({ url: 'https://example.com/hook' }, new AddressRule([]))
  const by = { tenant: 'acme', by: 'ada', dir: '', webhookKey: 'a key that both gateways have, of 32 bytes' }
  const create = () => createWebhook(store, request, by)
  const later = new Promise((resolve) => setTimeout(resolve, 5)).then(create)
  const [one, two] = await Promise.all([create(), later])
  assert.deepEqual(two, one)
  assert.equal((await readWebhooks(store, 'acme')).length, 1)
  await changeWebhook(store, one.webhook.id, { ...by, status: 'removed' })
  assert.notEqual((await create()).webhook.id, one.webhook.id)
  assert.equal((await readWebhooks(store, 'acme')).length, 1)
})

test('while the key of other webhooks is missing, no webhook is made with another one', async (t) => {
  const { log, codec } = await temporaryGateway(t)
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-no-key-'))
  t.after(() => rm(dir, { recursive: true }))
  const create = (path: string) =>
    createWebhook({ log, codec }, webhookRequestFrom({ url: `https://example.com/${path}` }, new AddressRule([])), {
      tenant: 'acme',
      by: 'ada',
      dir,
      webhookKey: null,
    })
  await create('one')
  await create('two')
  await rm(join(dir, 'webhook-key'))
  await assert.rejects(create('three'), { code: 'config-invalid', message: /webhook key is missing/ })
  assert.deepEqual(await readdir(dir), [])
})

test('a wrong field is refused with its name', async (t) => {
  const { app } = await temporaryGateway(t)
  for (const [body, field] of [
    [[], 'body'],
    [{ url: 'example.com' }, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'https://user:hunter2@example.com' }, 'url'],
    [{ url: 'http://127.0.0.1/x' }, 'url'],
    [{ url: 'https://[::1]/x' }, 'url'],
    [{ url: 'http://0x7f.1/x' }, 'url'],
    [{ url: 'https://example.com', spaces: [] }, 'spaces'],
    [{ url: 'https://example.com', spaces: ['a/b'] }, 'space'],
    [{ url: 'https://example.com', types: ['fact'] }, 'types'],
    [{ url: 'https://example.com', from: 'then' }, 'from'],
    [{ url: 'https://example.com', secret: 'mine' }, 'body'],
  ] as const) {
    const answer = await app.inject({ method: 'POST', url: '/v1/webhooks', payload: body as object })
    assert.equal(answer.statusCode, 400, JSON.stringify(body))
    assert.match(answer.json().detail, new RegExp(`^${field}`))
    assert.doesNotMatch(answer.body, /hunter2/)
  }
})

test('a creation that loses every race with other processes is a retryable error', async (t) => {
  const { log, codec } = await temporaryGateway(t)
  const store = { codec, log: { ...boundTo(log), append: async () => [] } }
  const by = { tenant: 'acme', by: 'ada', dir: '', webhookKey: 'a key that no other gateway has, of 32 bytes' }
  const creation = createWebhook(
    store,
    webhookRequestFrom({ url: 'https://example.com/hook' }, new AddressRule([])),
    by,
  )
  await assert.rejects(creation, (error) => isLoomlogError(error, 'overloaded') && error.retryable)
})

test('reads of webhooks have the limit of reads, and changes the deadline of appends', async (t) => {
  const { log } = await temporaryGateway(t)
  const released = Promise.withResolvers<void>()
  async function* read(options: ReadOptions) {
    if (options.topic === 'webhooks') await released.promise
    yield* log.read(options)
  }
  const limits = { reads: 6, queuedReads: 1, appendMs: 50 }
  const { app } = await temporaryGateway(t, { log: { ...log, read }, limits })
  const late = async (method: 'POST' | 'DELETE', path: string, body = {}) => {
    const reply = await app.inject({ method, url: `/v1/webhooks${path}`, ...(method === 'POST' && { payload: body }) })
    const isToRepeat = reply.json().detail.endsWith(': send it again, which has one effect')
    const isToLook = reply.json().detail.endsWith(': look before you send it again')
    return [reply.statusCode, reply.headers['retry-after'], isToRepeat, isToLook]
  }
  assert.deepEqual(await late('POST', '', { url: 'https://example.com' }), [503, '1', true, false])
  for (const path of ['/x/pause', '/x/replay'])
    assert.deepEqual(await late('POST', path), [503, undefined, false, true], path)
  assert.deepEqual(await late('DELETE', '/x'), [503, undefined, false, true])
  // The four of six slots that one caller may have are held by the work of the late changes: one read waits, and there
  // is no place for another.
  const statusOf = async (path: string) => (await app.inject(`/v1/webhooks${path}`)).statusCode
  const reads = ['', '/x'].map(statusOf)
  assert.equal(await reads[1], 503)
  released.resolve()
  assert.deepEqual(await Promise.all(reads), [200, 503])
})

function boundTo(log: Log): Pick<Log, 'read' | 'endOffsets'> {
  return { read: (options) => log.read(options), endOffsets: (topic) => log.endOffsets(topic) }
}
