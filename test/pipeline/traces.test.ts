/** Traces end to end: one process with every stage, a fake model, and a fake collector that takes OTLP over HTTP. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { canonicalDump, dumpText } from '@loomlog/app/derived-events'
import { startServer } from '@loomlog/app/server'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { traceIds } from '@loomlog/telemetry/spans'
import pino from 'pino'
import { eventually } from '../eventually.ts'
import { type CollectedSpan, startCollector } from '../otlp-collector.ts'
import { fixture } from './fixture.ts'

const callerTrace = '0af7651916cd43dd8448eb211c80319c'
const callerSpan = 'b7ad6b7169203331'
const traceparent = `00-${callerTrace}-${callerSpan}-01`
const pauseMs = '1000'
/** The canonical dump of the first test. */
let tracedMemory: readonly string[] = []

/** @param otel variables of OpenTelemetry, which its exporter reads from the process */
async function serverUp(t: TestContext, otel: { readonly [name: string]: string }) {
  const made = await fixture(t, 1)
  for (const [name, value] of Object.entries(otel)) process.env[name] = value
  t.after(() => {
    for (const name of Object.keys(otel)) delete process.env[name]
  })
  const settings = {
    LOOMLOG_DIR: join(made.dir, 'log'),
    LOOMLOG_PARTITIONS: '1',
    LOOMLOG_PAUSE_MS: pauseMs,
    LOOMLOG_SPACE_PAUSE_MS: pauseMs,
  }
  const host = await openHost(configFrom({ ...made.environment, ...settings }))
  const logged: Record<string, unknown>[] = []
  const destination = new Writable({
    write(chunk, _, done) {
      logged.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const logger = pino({ level: 'info', mixin: traceIds }, destination)
  const stop = new AbortController()
  const address = { host: '127.0.0.1', port: 0 }
  const server = await startServer(host, { address, logger, signal: stop.signal, onNews: () => {} })
  let closing: Promise<void> | null = null
  function close() {
    closing ??= server.close().then(() => host.close())
    return closing
  }
  t.after(close)
  const request = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, init)
  const append = async (headers: Record<string, string>) => {
    const utterances = lines.map((text, n) => ({ conversation: 'c', speaker: 'Ada', at: minute(n), text }))
    const body = JSON.stringify(utterances)
    const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    const reply = await request('/v1/spaces/home/utterances', sent)
    assert.equal(reply.status, 201, await reply.text())
  }
  const dump = async () => (await canonicalDump(host, server.pipeline.serving)).map(dumpText)
  return { host, logged, request, append, dump, close, endpoint: made.endpoint }
}

/** Traces of records by topic; null for a record without a trace. */
async function tracesInRecords({ log }: Host): Promise<ReadonlyMap<string, readonly (string | null)[]>> {
  const found = new Map<string, readonly (string | null)[]>()
  for (const { name } of await log.topics()) {
    const traces: (string | null)[] = []
    for await (const batch of log.read({ topic: name, until: 'end' }))
      traces.push(...batch.map((record) => record.traceparent ?? null))
    found.set(name.split('.')[0] ?? '', traces)
  }
  return found
}

const lines = Array.from({ length: 12 }, (_, n) => `Number ${n}: the boat needs a new engine.`)
const minute = (n: number) => new Date(Date.UTC(2026, 0, 5) + n * 60_000).toISOString()
const processed = [
  ...['process utterances (topic-loom)', 'process topic-shifts (fact-extractor)', 'process facts (trace-weaver)'],
  ...['process facts (consolidator)', 'process utterances (materializer)', 'process topic-shifts (materializer)'],
  ...['process facts (materializer)', 'process consolidations (materializer)', 'process facts (publisher)'],
]

test('one append is one trace, from the caller through every stage to the views and the feed', async (t) => {
  const collector = await startCollector()
  t.after(() => collector.close())
  const otel = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' }
  const { host, logged, request, append, dump, close, endpoint } = await serverUp(t, otel)
  endpoint.setScript([{ fault: 'status', status: 503 }])
  const { spans } = collector
  const spansOf = (name: string) => spans.filter((span) => span.name === name)
  await append({ traceparent })
  // The conversation has no explicit end: its pause and that of its space continue the trace of the last utterance.
  await eventually(
    () =>
      assert.deepEqual(
        processed.filter((name) => spansOf(name).length === 0),
        [],
      ),
    30_000,
  )
  const recalled = await request('/v1/spaces/home/recall?query=boat+engine', { headers: { traceparent } })
  assert.equal(recalled.status, 200)
  const { memories } = (await recalled.json()) as { memories: readonly unknown[] }
  const write = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', traceparent }
    const reply = await request(`/v1/spaces/home/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(reply.status, 201, await reply.text())
  }
  const facts = await request('/v1/spaces/home/memories?kind=fact&limit=1', { headers: { traceparent } })
  const [fact] = ((await facts.json()) as { memories: readonly { id: string }[] }).memories
  const records = await tracesInRecords(host)
  tracedMemory = await dump()
  await write('corrections', { action: 'replace', memory: fact?.id, text: 'The boat is sold.', by: 'Ada' })
  await write('retractions', { conversation: 'c', by: 'Ada' })
  await close()

  const ids = new Set([callerSpan, ...spans.map(({ spanId }) => spanId)])
  for (const { name, service, traceId, parentSpanId } of spans)
    assert.deepEqual([service, traceId, ids.has(parentSpanId ?? '')], ['loomlog', callerTrace, true], name)
  const parentOf = ({ parentSpanId }: CollectedSpan) => spans.find(({ spanId }) => spanId === parentSpanId)?.name
  for (const [name, parent] of [
    ['POST /v1/spaces/:space/utterances', undefined],
    ['process topic-shifts (fact-extractor)', 'process utterances (topic-loom)'],
    ['process facts (trace-weaver)', 'process topic-shifts (fact-extractor)'],
    ['process consolidations (materializer)', 'process facts (consolidator)'],
    ['create_memory', 'POST /v1/spaces/:space/utterances'],
    ['search_memory', 'GET /v1/spaces/:space/recall'],
    ['update_memory', 'POST /v1/spaces/:space/corrections'],
    ['delete_memory', 'POST /v1/spaces/:space/retractions'],
    ['recall', 'search_memory'],
    ['embed question', 'recall'],
    ['search space', 'recall'],
  ] as const)
    assert.equal(parentOf(spansOf(name)[0] as CollectedSpan), parent, name)
  const [appended, pause] = spansOf('send utterances')
  assert.equal(parentOf(appended as CollectedSpan), 'create_memory')
  assert.equal(parentOf(pause as CollectedSpan), 'send utterances')
  const sealing = spansOf('process utterances (topic-loom)').flatMap(({ links }) => links)
  assert.equal(sealing.length, lines.length, 'the sealed boxes together rest on every utterance')

  const chat = spansOf('chat fake-model')[0]?.attributes ?? {}
  assert.equal(chat['gen_ai.request.model'], 'fake-model')
  assert.ok(Number(chat['gen_ai.usage.input_tokens']) > 0)
  const operations = spans.filter(({ name }) => name.endsWith('_memory'))
  const store = (count: number) => ({ 'gen_ai.memory.store.id': 'default/home', 'gen_ai.memory.record.count': count })
  assert.deepEqual(
    operations.map(({ attributes: { 'gen_ai.operation.name': _, ...attributes } }) => attributes),
    [
      store(lines.length),
      store(memories.length),
      { ...store(1), 'gen_ai.memory.record.id': fact?.id },
      store(lines.length),
    ],
  )
  const { attributes } = spansOf('process facts (trace-weaver)')[0] as CollectedSpan
  assert.equal(attributes['messaging.system'], 'sqlite')
  assert.equal(attributes['loomlog.space'], 'default/home')
  assert.doesNotMatch(JSON.stringify(spans), /engine|Ada|sold/, 'spans hold no words of people')

  for (const topic of ['utterances', 'topic-shifts', 'facts', 'consolidations', 'memory-events'])
    assert.ok(
      (records.get(topic) ?? []).some((each) => each?.includes(callerTrace)),
      topic,
    )
  // Work that follows from the corrections may be in progress at the end.
  const failed = spans.filter(({ isError, attributes }) => isError && attributes['error.type'] !== 'uncommitted')
  assert.deepEqual(
    failed.map(({ name, attributes }) => [name, attributes['error.type']]),
    [['embeddings fake-embedder', '503']],
  )
  for (const line of ['request completed', 'topic-loom waits: '])
    assert.equal(logged.find(({ msg }) => String(msg).startsWith(line))?.trace_id, callerTrace, line)
})

test('without configuration the memory is the same, and no record and no log line has a trace', async (t) => {
  const { host, logged, append, dump, close } = await serverUp(t, {})
  await append({ traceparent })
  assert.ok(tracedMemory.length > lines.length)
  await eventually(async () => assert.deepEqual(await dump(), tracedMemory), 30_000)
  for (const [topic, traces] of await tracesInRecords(host))
    assert.ok(
      traces.every((each) => each === null),
      topic,
    )
  assert.ok(logged.length > 0 && logged.every((line) => !('trace_id' in line)))
  await close()
})
