import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { isTracing, type SpanStart, startSpan, traceIds } from './spans.ts'
import { startTraces } from './start-traces.ts'

/** Nothing listens there. */
const endpoint = 'http://127.0.0.1:1'
const trace = '0af7651916cd43dd8448eb211c80319c'
const caller = (flags: string) => ({ traceparent: `00-${trace}-b7ad6b7169203331-${flags}` })

async function started(t: TestContext, environment: { readonly [name: string]: string }) {
  const trouble: string[] = []
  const onExportError = (text: string) => trouble.push(text)
  const traces = await startTraces({ environment, service: 'test', messagingSystem: 'sqlite', onExportError })
  t.after(() => traces?.close())
  return { traces, trouble }
}

function spanWith(parent: SpanStart['parent']) {
  return startSpan({ name: 'test', kind: 'SERVER', attributes: {}, parent })
}

test('nothing starts without an endpoint, or if the exporter or the SDK is turned off', async (t) => {
  for (const environment of [
    { OTEL_SERVICE_NAME: 'memory' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' },
  ]) {
    assert.equal((await started(t, environment)).traces, null)
    assert.deepEqual([isTracing(), spanWith('none'), traceIds()], [false, null, {}])
  }
})

test('a wrong value is refused with its variable', async (t) => {
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'localhost:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '-1'],
  ] as const) {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, [name]: value }
    await assert.rejects(started(t, environment), (error) => {
      assert.ok(isLoomlogError(error, 'config-invalid'))
      assert.ok(error.message.startsWith(`${name} is "${value}": expected `), error.message)
      return true
    })
  }
})

test('an empty variable counts as unset', async (t) => {
  const empty = { OTEL_SDK_DISABLED: '', OTEL_TRACES_EXPORTER: '', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: '' }
  assert.notEqual((await started(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...empty })).traces, null)
})

test("the caller's trace is continued with its sampling decision; an invalid traceparent begins a trace", async (t) => {
  await started(t, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  const sampled = spanWith(caller('01'))
  assert.match(sampled?.traceparent ?? '', new RegExp(`^00-${trace}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`))
  assert.equal(spanWith(caller('00')), null)
  for (const traceparent of ['', 'x', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`]) {
    const own = spanWith({ traceparent })
    assert.match(own?.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    assert.ok(!own?.traceparent.includes('0'.repeat(32)))
  }
  assert.equal(spanWith('active'), null, 'no span is active')
  sampled?.run(() => {
    assert.equal(spanWith('active')?.traceparent.slice(3, 35), trace)
    assert.equal(Object.values(traceIds())[0], trace)
  })
})

test('samplers decide about traces that begin in this process', async (t) => {
  for (const [sampler, ratio, isSampled] of [
    ['always_off', '', [false, false]],
    ['parentbased_always_off', '', [false, true]],
    ['parentbased_traceidratio', '0', [false, true]],
    ['traceidratio', '1', [true, true]],
  ] as const) {
    const { traces } = await started(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: ratio,
    })
    const found = [spanWith('none'), spanWith(caller('01'))].map((span) => span !== null)
    assert.deepEqual(found, isSampled, sampler)
    await traces?.close()
  }
})

test('failed exports are reported once a minute', async (t) => {
  const exported: string[] = []
  const arrivals = new EventEmitter()
  const url = await collectorFor(t, (request, response) => {
    void text(request).then((body) => {
      exported.push(body)
      response.writeHead(400).end()
      arrivals.emit('export')
    })
  })
  const { trouble } = await started(t, { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '10' })
  // One export runs at a time, so the third request comes after the failure of the second one.
  for (const name of ['first', 'second', 'third']) {
    const arrival = once(arrivals, 'export')
    startSpan({ name, kind: 'SERVER', attributes: {}, parent: 'none' })?.end()
    await arrival
    assert.ok(exported.at(-1)?.includes(name))
  }
  assert.equal(trouble.length, 1)
  assert.match(trouble[0] ?? '', /^1 spans were not exported: /)
})

test('a collector that never replies does not hold up the end of the process', async (t) => {
  let arrived = 0
  const url = await collectorFor(t, () => {
    arrived += 1
  })
  const { traces } = await started(t, { OTEL_EXPORTER_OTLP_ENDPOINT: url })
  spanWith('none')?.end()
  // The exporter itself would wait for ten seconds.
  const closed = await Promise.race([traces?.close().then(() => true), sleep(9_000, false, { ref: false })])
  assert.deepEqual([closed, arrived], [true, 1])
})

/** An HTTP server in place of a collector. The exporter reads its address from the environment of the process. */
async function collectorFor(t: TestContext, serve: RequestListener): Promise<string> {
  const server = createServer(serve)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = url
  t.after(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
    server.close()
    server.closeAllConnections()
  })
  return url
}
