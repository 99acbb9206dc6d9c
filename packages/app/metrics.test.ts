/** The metrics that a process shows, against docs/metrics.md, and their values. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { temporaryGateway } from '@loomlog/gateway/fixture'
import { Conditions } from '@loomlog/host/conditions'
import { LeaseProgress } from '@loomlog/host/lease-progress'
import { processMetrics } from '@loomlog/host/process-metrics'
import type { openSqliteLog } from '@loomlog/log/sqlite'
import { addCacheMetrics } from './cache-metrics.ts'
import { addStatusMetrics } from './status-metrics.ts'

const part = {
  topic: 'utterances',
  position: 7,
  end: 9,
  lag: 2,
  positions: [7],
  owners: [],
  frozen: null,
  behindMs: 1_500,
}
const status = {
  epoch: 3,
  stages: [{ ...part, name: 'topic-loom' }],
  views: [{ ...part, name: 'view of facts', behindMs: 0, lag: 0 }],
  parked: 4,
  parkedByCode: { unanswered: 7, undecodable: 2 },
  bytes: { log: 5, views: 6 },
  usage: { total: { asks: 10, calls: 11, repairs: 3, inputTokens: 12, outputTokens: 13, money: null } },
}

async function measured(t: TestContext, readStatus = async () => status) {
  const conditions = new Conditions({ info() {}, warn() {}, debug() {} })
  const progress = new LeaseProgress()
  let held: { log: ReturnType<typeof openSqliteLog>; progress: LeaseProgress } | null = null
  const metrics = processMetrics({ conditions, leases: () => held })
  addStatusMetrics(metrics, readStatus)
  addCacheMetrics(metrics, () => 0)
  const { app, log } = await temporaryGateway(t, { metrics })
  held = { log: log as ReturnType<typeof openSqliteLog>, progress }
  const scrape = async () => {
    const reply = await app.inject('/metrics')
    assert.equal(reply.statusCode, 200, reply.body)
    assert.match(String(reply.headers['content-type']), /^text\/plain; version=0\.0\.4/)
    return reply.body
  }
  return { app, log, conditions, progress, scrape }
}

test('every metric is documented with its type, and every documented one exists', async (t) => {
  const { scrape } = await measured(t)
  const shown = [...(await scrape()).matchAll(/^# TYPE (\w+) (\w+)$/gm)]
    .map(([, name, type]) => `${name} ${type}`)
    .filter((each) => !/^(process|nodejs)_/.test(each))
  const page = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (\w+) \|/gm)].flatMap(([, names = '', type]) =>
    names.split(', ').map((name) => `${name.replaceAll('`', '')} ${type}`),
  )
  assert.deepEqual(shown.sort(), documented.sort())
})

test('the status becomes progress, freshness, asks and tokens; money without a price has no sample', async (t) => {
  const { scrape } = await measured(t)
  const text = await scrape()
  for (const line of [
    'loomlog_stage_lag_records{stage="topic-loom"} 2',
    'loomlog_stage_behind_seconds{stage="topic-loom"} 1.5',
    'loomlog_stage_frozen{stage="topic-loom"} 0',
    'loomlog_view_lag_records{view="facts"} 0',
    'loomlog_parked_inputs 4',
    'loomlog_inputs_parked_total{code="undecodable"} 2',
    'loomlog_asks_total 10',
    'loomlog_model_tokens_total{direction="output"} 13',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} in ${text}`)
  assert.doesNotMatch(text, /^loomlog_model_money_total/m)
})

test('while the status cannot be read, only its own samples are missing', async (t) => {
  const { scrape, conditions } = await measured(t, () => Promise.reject(new Error('the log is away')))
  conditions.begin('paused topic-loom.3f', 'topic-loom waits: 429 try again in 17 s')
  conditions.begin('webhook w', 'webhook w fails: the receiver answers 500: I am a teapot', 'the receiver fails')
  const text = await scrape()
  assert.doesNotMatch(text, /^loomlog_(stage|parked|asks)/m)
  assert.match(text, /^loomlog_condition_seconds{kind="webhook",subject="w",reason="the receiver fails"}/m)
  assert.match(
    text,
    /^loomlog_condition_seconds{kind="paused",subject="topic-loom.3f",reason="topic-loom waits: # try again in # s"}/m,
  )
})

test('requests are measured by route, refused ones too, and no label names a tenant, a space or a path', async (t) => {
  const { app, scrape } = await measured(t)
  const utterance = { conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'A zebra.' }
  const url = '/v1/spaces/secret-space/utterances'
  for (let n = 0; n < 2; n++)
    await app.inject({ method: 'POST', url, payload: utterance, headers: { 'x-loomlog-tenant': 'secret-tenant' } })
  await app.inject('/secret-path')
  await app.inject({ url: '/v1/tools', headers: { origin: 'https://secret.example' } })
  const text = await scrape()
  const count = (method: string, route: string, code: number) =>
    `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${code}"}`
  assert.ok(text.includes(`${count('POST', '/v1/spaces/:space/utterances', 201)} 2\n`), text)
  assert.ok(text.includes(`${count('GET', 'unknown', 404)} 1\n`))
  assert.ok(text.includes(`${count('GET', '/v1/tools', 403)} 1\n`))
  for (const outcome of ['appended', 'known'])
    assert.ok(
      text.includes(
        `loomlog_events_appended_total{http_route="/v1/spaces/:space/utterances",outcome="${outcome}"} 1\n`,
      ),
    )
  assert.match(text, /^http_server_active_requests{http_request_method="GET"} 1$/m)
  assert.doesNotMatch(text, /secret/)
})

test('a held partition has its lag, also when it is 0', async (t) => {
  const { log, progress, scrape } = await measured(t)
  const { promise: polled, resolve } = Promise.withResolvers<void>()
  const membership = await progress.watch(log, 'commit').join({
    group: 'topic-loom.3f',
    topic: 'keys',
    onError: (error) => t.diagnostic(String(error)),
    async onLease(lease) {
      resolve()
      await new Promise<void>((done) => lease.signal.addEventListener('abort', () => done(), { once: true }))
    },
  })
  t.after(() => membership.close())
  await polled
  const labels = 'group="topic-loom.3f",topic="keys",partition="0"'
  const first = await scrape()
  assert.ok(first.includes(`loomlog_lease_lag_records{${labels}} 0\n`))
  assert.ok(first.includes(`loomlog_lease_behind_seconds{${labels}} 0\n`), 'both are of the same scrape')
  await log.append('keys', [{ key: null, partition: 0, value: Buffer.of(1), timestamp: 0 }])
  assert.ok((await scrape()).includes(`loomlog_lease_lag_records{${labels}} 1\n`))
})
