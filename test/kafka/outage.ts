/**
 * A broker that is away for a while, with a gateway, a stage and the views in processes of their own. Each process logs
 * one line when the outage begins and one when it ends. Appends are refused in time, recall searches the views, nothing
 * acknowledged is lost, and everything catches up afterwards.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@loomlog/kafka-local/free-ports'
import type { LocalKafka } from '@loomlog/kafka-local/kafka-local'
import type { TestingCluster } from '@loomlog/kafka-local/testing-cluster'
import { endOffsetsTimeoutMs } from '@loomlog/log/end-offsets-in-time'
import { openKafkaLog } from '@loomlog/log/kafka'
import { Codec } from '@loomlog/schemas/codec'
import { eventually } from '../eventually.ts'
import { fixture } from '../pipeline/fixture.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { type StartedService, startService, untilHealth, untilReady } from '../services/service.ts'
import { kafkaLogSettings } from './kafka-log.ts'

const appendMs = 2_000
const outageMs = 8_000

interface Reply {
  readonly id: string
  readonly status: number
  readonly retryAfter: string | null
  readonly ms: number
}

/** @param cluster with one broker, which the test kills and starts again */
export function testOutage(
  cluster: () => { readonly options: TestingCluster['options']; readonly broker: LocalKafka },
): void {
  test('during an outage of the broker each process logs two lines, appends are refused and recalls answered in time, and nothing is lost', async (t) => {
    const { options, broker } = cluster()
    const made = await fixture(t, 2, { LOOMLOG_PARTITIONS: '1', LOOMLOG_EMBEDDER: 'words' })
    const { log } = kafkaLogSettings({ ...options, brokers: broker.brokers }, 'outage')
    const environment = { ...made.environment, ...log, LOOMLOG_DIR: join(made.dir, 'log') }
    assert.equal((await loomlog(['init'], environment)).code, 0)
    const [port = 0] = await freePorts(1)
    const http = { LOOMLOG_HTTP_PORT: String(port), LOOMLOG_APPEND_MS: String(appendMs) }
    const services = await Promise.all([
      startService(t, 'gateway', { ...environment, ...http }),
      startService(t, 'topic-loom', environment),
      startService(t, 'materializer', environment),
    ])
    await Promise.all(services.map(untilReady))
    const url = `http://127.0.0.1:${port}`
    const append = (id: string) => said(url, id)
    assert.equal((await append('zebra')).status, 201)
    await eventually(() => assertCaughtUp(url))
    assert.deepEqual((await recallAt(url, 'zebra')).ids, ['zebra'])

    await broker.kill9()
    const startedAt = performance.now()
    const refused: Reply[] = []
    for (let n = 0; performance.now() - startedAt < outageMs; n++) {
      refused.push(await append(`during${n}`))
      await sleep(200)
    }
    await assertServedFromViews(url)
    for (const service of services) await untilHealth(service, '/readyz', 503, /^the log is away: /)
    await assertStatusSays(url)
    await broker.restart()
    await Promise.all(services.map(untilReady))
    for (const { id } of refused) await eventually(async () => assert.equal((await append(id)).status, 201))
    const last = refused.at(-1)?.id ?? ''
    const found = await recallAt(url, last)
    assert.ok(found.ids.includes(last), 'found as soon as it is acknowledged')
    assert.equal(found.logAway, undefined)
    for (const { status, retryAfter, ms } of refused) {
      assert.deepEqual([status, retryAfter], [503, '1'])
      assert.ok(ms < appendMs + 1_000, `${ms} ms`)
    }
    const expected = ['zebra', ...refused.map(({ id }) => id)]
    const place = { ...options, brokers: broker.brokers, environment: log.LOOMLOG_KAFKA_ENVIRONMENT ?? '' }
    assert.deepEqual(await idsIn(place), expected)
    await eventually(() => assertCaughtUp(url))
    await eventually(async () => assert.equal((await recallAt(url, last)).ids[0], last))
    for (const service of services) assertTwoLines(service)
  })
}

/** Only the first reader of an outage waits for the log. */
async function assertServedFromViews(url: string): Promise<void> {
  for (const ms of [endOffsetsTimeoutMs + 1_000, 1_000]) {
    const found = await recallAt(url, 'zebra')
    assert.deepEqual([found.status, found.ids], [200, ['zebra']])
    assert.match(found.logAway ?? '', /the log gave no answer/)
    assert.ok(found.ms < ms, `recall took ${found.ms} ms`)
  }
  const sentAt = performance.now()
  const spaces = await fetch(`${url}/v1/spaces`)
  assert.deepEqual([spaces.status, spaces.headers.get('retry-after')], [503, '1'])
  assert.ok(performance.now() - sentAt < endOffsetsTimeoutMs + 1_000)
}

async function recallAt(url: string, query: string) {
  const sentAt = performance.now()
  const response = await fetch(`${url}/v1/spaces/default/recall?query=${query}&kind=utterance`)
  const { memories = [], logAway } = (await response.json()) as {
    readonly memories?: readonly { readonly id: string }[]
    readonly logAway?: string
  }
  return { status: response.status, ids: memories.map(({ id }) => id), logAway, ms: performance.now() - sentAt }
}

/** Asserts that the stage and the views, which run in their own processes, have no lag. */
async function assertCaughtUp(url: string): Promise<void> {
  const { stages, views } = (await (await fetch(`${url}/v1/status`)).json()) as {
    readonly [part in 'stages' | 'views']: readonly { readonly name: string; readonly lag: number }[]
  }
  const running = [...stages.filter(({ name }) => name.startsWith('topic-loom')), ...views]
  assert.ok(running.length > 1, JSON.stringify({ stages, views }))
  assert.deepEqual(
    running.filter(({ lag }) => lag !== 0),
    [],
  )
}

function assertTwoLines({ output }: StartedService): void {
  const warnings = output()
    .split('\n')
    .filter((line) => /"level":[456]0/.test(line) && !line.includes('there are no keys'))
  assert.equal(warnings.length, 1, output())
  assert.match(warnings.join(), /"msg":"the log is away: /)
  assert.equal(output().match(/the log answers again after/g)?.length, 1, output())
  assert.doesNotMatch(output(), /"stack"|\n\s+at /)
}

async function assertStatusSays(url: string): Promise<void> {
  const health = (await (await fetch(`${url}/healthz`)).json()) as { conditions: { log?: { text: string } } }
  assert.match(health.conditions.log?.text ?? '', /^the log is away: /)
  const askedAt = performance.now()
  const { status, headers } = await fetch(`${url}/v1/status`)
  assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
  assert.ok(performance.now() - askedAt < 10_000)
}

async function said(url: string, id: string): Promise<Reply> {
  const sentAt = performance.now()
  const body = JSON.stringify({
    id,
    conversation: 'c',
    speaker: 'Ada',
    at: '2026-03-02T09:00:00Z',
    text: `Said: ${id}.`,
  })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1/spaces/default/utterances`, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return {
    id,
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    ms: performance.now() - sentAt,
  }
}

async function idsIn(options: TestingCluster['options']): Promise<readonly string[]> {
  const log = await openKafkaLog(options)
  const codec = await Codec.open(log.schemas)
  const ids: string[] = []
  for await (const records of log.read({ topic: 'utterances', until: 'end' })) {
    for (const { value } of records) {
      const event = await codec.decode(value)
      if (event.type === 'UtteranceAppended') ids.push(event.id)
    }
  }
  await log.close()
  return ids
}
