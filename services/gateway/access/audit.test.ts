/** The audit and the limits of requests with a key. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AuditRecorder } from '@loomlog/access/audit-recorder'
import { anyAuthor, type Caller, openAccess } from '@loomlog/access/caller'
import { type CallerLimitSettings, CallerLimits, defaultCallerLimits } from '@loomlog/access/caller-limits'
import { type Scope, scopes } from '@loomlog/access/scopes'
import { LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import { isEvent } from '@loomlog/schemas/events'
import { AppendDeadline } from '../append-deadline.ts'
import { applicationWithoutStages } from '../application-without-stages.ts'
import { temporaryGateway } from '../fixture.ts'
import type { GatewayOptions } from '../gateway-options.ts'

const utterance = { id: 'u1', conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'A zebra.' }
const url = '/v1/spaces/home/utterances'

interface Setting {
  readonly limits?: Partial<CallerLimitSettings>
  readonly scopes?: readonly Scope[]
  readonly recalls?: null
  readonly appendMs?: number
  readonly generations?: GatewayOptions['generations']
  /** Of the audit. */
  readonly append?: Log['append']
}

async function auditedGateway(t: TestContext, setting: Setting = {}) {
  const { log, codec } = await temporaryGateway(t)
  const dropped: string[] = []
  const append = setting.append ?? log.append.bind(log)
  const audit = new AuditRecorder({
    codec,
    log: { append } as Log,
    onDropped: (count, why) => dropped.push(`${count} ${why}`),
  })
  const allowed = new Set(setting.scopes ?? scopes)
  // Generations concern every tenant.
  const tenant = setting.generations === undefined ? 'acme' : null
  const caller: Caller = {
    name: 'key:k1',
    tenant,
    scopes: allowed,
    spaces: null,
    authors: anyAuthor,
    credential: { kind: 'key', id: 'k1' },
  }
  const limits = new CallerLimits({ ...defaultCallerLimits, ...setting.limits })
  const {
    app,
    recalls,
    log: served,
  } = await temporaryGateway(t, {
    access: { ...openAccess, isOpen: false, limits, audit, authenticate: async () => caller },
    ...(setting.generations && { generations: setting.generations }),
    ...(setting.recalls === null && { recalls: null }),
    ...(setting.appendMs !== undefined && { limits: { appendMs: setting.appendMs } }),
  })
  async function records() {
    await audit.close()
    const found: string[] = []
    for await (const batch of log.read({ topic: 'audit', until: 'end' }))
      for (const { value } of batch) {
        const event = await codec.decode(value)
        assert.ok(isEvent('RequestAudited', event))
        const { caller, tenant, space, method, route, status, ids } = event
        found.push([caller, tenant, space, method, route, status, ...ids].join(' '))
      }
    return found
  }
  return { app, recalls, served, records, dropped }
}

test('a write is in the audit when it is answered, with its caller, its result and the ids', async (t) => {
  const { app, records } = await auditedGateway(t)
  const replies = await Promise.all([
    app.inject({ method: 'POST', url, payload: utterance }),
    app.inject({ method: 'POST', url, payload: { ...utterance, text: '' } }),
  ])
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [201, 400],
  )
  const route = 'key:k1 acme home POST /v1/spaces/:space/utterances'
  assert.deepEqual((await records()).sort(), [`${route} 201 u1`, `${route} 400`])
})

test('a recall names its caller in recalls and not in the audit; a feed reader is in neither; a refusal is in the audit', async (t) => {
  const { app, recalls, served, records } = await auditedGateway(t, { scopes: ['recall', 'subscribe'] })
  for (const path of ['recall?query=zebra', 'recall', 'feed', 'memories/u1/why'])
    await app.inject(`/v1/spaces/home/${path}`)
  await app.inject({ url: '/v1/usage', headers: { 'x-loomlog-tenant': 'acme' } })
  assert.deepEqual(await records(), [
    'key:k1 acme home GET /v1/spaces/:space/recall 400',
    'key:k1 acme home GET /v1/spaces/:space/memories/:id/why 404',
    'key:k1 acme  GET /v1/usage 403',
  ])
  await recalls.close()
  const ends = await served.endOffsets('recalls')
  assert.equal(
    ends.reduce((sum, end) => sum + end, 0),
    1,
  )
})

test('if served recalls are not recorded, a recall is in the audit', async (t) => {
  const { app, records } = await auditedGateway(t, { scopes: ['recall'], recalls: null })
  await app.inject('/v1/spaces/home/recall?query=zebra')
  assert.deepEqual(await records(), ['key:k1 acme home GET /v1/spaces/:space/recall 200'])
})

test('a write whose audit record fails is 503, and the same write afterwards is known', async (t) => {
  const failing = { count: 2 }
  const append: Log['append'] = async () => {
    if (failing.count-- > 0) throw new LoomlogError('log-unavailable', 'the log is away')
    return []
  }
  const { app, dropped } = await auditedGateway(t, { append })
  const post = () => app.inject({ method: 'POST', url, payload: utterance })
  const reply = await post()
  assert.equal(reply.statusCode, 503, reply.body)
  assert.deepEqual([reply.json().type, reply.headers['retry-after']], ['urn:loomlog:problem:log-unavailable', '1'])
  assert.equal((await app.inject('/v1/spaces/home/memories/u9/why')).statusCode, 404, 'a read does not wait')
  assert.deepEqual(dropped, ['1 the log is away'])
  assert.equal((await post()).json().known, 1)
})

test('a write whose audit record gets no reply is 503 within the limit of an append', async (t) => {
  const { app } = await auditedGateway(t, { append: () => new Promise(() => {}), appendMs: 50 })
  const reply = await app.inject({ method: 'POST', url, payload: utterance })
  assert.deepEqual([reply.statusCode, reply.headers['retry-after']], [503, '1'])
})

test('the 503 of a write that is not idempotent says that it took effect, and has no Retry-After', async (t) => {
  let rolledBack = 0
  const rollBack = async () => ({ generation: `g${++rolledBack}` })
  const append = () => new Promise<never>(() => {})
  const { app } = await auditedGateway(t, {
    append,
    appendMs: 50,
    generations: { ...applicationWithoutStages.generations, rollBack },
  })
  const reply = await app.inject({ method: 'POST', url: '/v1/generations/rollback', payload: {} })
  assert.deepEqual([reply.statusCode, reply.headers['retry-after'], rolledBack], [503, undefined, 1])
  assert.match(
    reply.json().detail,
    /took effect, and its audit record is not confirmed .*: look before you send it again/,
  )
})

test('an append and its audit record share one deadline', async () => {
  const deadline = new AppendDeadline(200)
  const request = {}
  await deadline.append(request, sleep(100))
  // Timers fire in the order of their times, under any load.
  const wholeDeadline = sleep(200).then(() => 'a whole deadline for the audit')
  const audited = deadline.audit(request, new Promise(() => {})).catch(String)
  assert.match(String(await Promise.race([audited, wholeDeadline])), /it took effect.*: send it again, which has one/)
})

test('a request over the rate is 429 with Retry-After, and has no effect', async (t) => {
  const { app, records, served } = await auditedGateway(t, { limits: { requestsPerS: 1 } })
  const replies = []
  for (let n = 0; n < 8; n++)
    replies.push(await app.inject({ method: 'POST', url, payload: { ...utterance, id: `u${n}` } }))
  const accepted = replies.filter(({ statusCode }) => statusCode === 201).length
  const refused = replies.filter(({ statusCode }) => statusCode === 429)
  assert.ok(accepted >= 3 && refused.length > 0 && accepted + refused.length === replies.length)
  assert.ok(refused.every(({ headers }) => Number(headers['retry-after']) >= 1))
  assert.equal(refused[0]?.json().type, 'urn:loomlog:problem:rate-limited')
  const ends = await served.endOffsets('utterances')
  assert.equal(
    ends.reduce((sum, end) => sum + end, 0),
    accepted,
  )
  assert.equal((await records()).length, accepted)
})

test('a request that lacks the scope counts against the rate too', async (t) => {
  const { app } = await auditedGateway(t, { limits: { requestsPerS: 0.1 }, scopes: ['recall'] })
  const post = async () => (await app.inject({ method: 'POST', url, payload: utterance })).statusCode
  assert.deepEqual([await post(), await post()], [403, 429])
})

test('requests in flight are limited until their replies are sent', async (t) => {
  const { app } = await auditedGateway(t, { limits: { concurrency: 2 } })
  const post = (id: string) => app.inject({ method: 'POST', url, payload: { ...utterance, id } })
  const statuses = (await Promise.all(['a', 'b', 'c', 'd'].map(post))).map(({ statusCode }) => statusCode)
  assert.deepEqual(statuses.sort(), [201, 201, 429, 429])
  assert.equal((await post('e')).statusCode, 201)
})
