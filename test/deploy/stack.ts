/**
 * The services of docker-compose.yml without Docker: `npm run test:stack`. It runs the same commands with the same
 * settings, on a local broker and registry. Each service has a process of its own, and one has two. An appended
 * utterance is recalled through the gateway. Every service shows its metrics, and its spans in the trace of one append.
 * Once a key exists, requests need it; a revoked key is refused. All processes stop within ten seconds of SIGTERM.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { servicesOf } from '@loomlog/app/services'
import { freePorts } from '@loomlog/kafka-local/free-ports'
import { skipReason, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { eventually } from '../eventually.ts'
import { startCollector } from '../otlp-collector.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const compose = readFileSync(`${root}docker-compose.yml`, 'utf8')
const settings = Object.fromEntries(
  [...compose.matchAll(/^ {2}(LOOMLOG_\w+): "?(.*?)"?$/gm)].map(([, name, value]) => [name, value]),
)
const commands = [...compose.matchAll(/^ {4}command: (\["node".*\])$/gm)].map(
  ([, command]) => JSON.parse(command ?? '') as string[],
)
const [first = [], ...services] = commands
const known = servicesOf({ extensions: [] }).map(({ name }) => name)

const skip = (await skipReason()) ?? false

test('everything that docker compose starts works together, and stops on SIGTERM', { skip }, async (t) => {
  const { options, stop } = await testingCluster()
  t.after(stop)
  const collector = await startCollector()
  t.after(() => collector.close())
  const environment = {
    ...settings,
    LOOMLOG_DIR: options.stateDir,
    LOOMLOG_KAFKA_BROKERS: options.brokers.join(','),
    LOOMLOG_REGISTRY_URL: options.registry.url,
    LOOMLOG_KAFKA_ENVIRONMENT: options.environment,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  }
  assert.equal(await start(first, environment).exit, 0)
  assert.equal(services.length, known.length)
  const [port] = await freePorts(1)
  const loom = services.find((command) => command.join(' ').includes('topic-loom')) ?? []
  const started = await Promise.all(
    [...services, loom].map(async (command) => {
      const [health] = await freePorts(1)
      const more = { LOOMLOG_HEALTH_PORT: String(health), LOOMLOG_HTTP_PORT: String(port) }
      return { ...start(command, { ...environment, ...more }), ready: `http://127.0.0.1:${health}/readyz` }
    }),
  )
  t.after(() => {
    for (const { child } of started) child.kill('SIGKILL')
  })
  for (const { ready, output } of started) {
    await eventually(async () => assert.equal((await fetch(ready)).status, 200, output()))
  }
  const spaces = `http://127.0.0.1:${port}/v1/spaces/default`
  const trace = '0af7651916cd43dd8448eb211c80319c'
  const traceparent = `00-${trace}-b7ad6b7169203331-01`
  const headers = { 'content-type': 'application/json', traceparent }
  for (const text of ['I moved to Lisbon.', 'My sister is a painter.', 'The boat needs an engine.']) {
    const body = JSON.stringify({ conversation: 'c', speaker: 'Maya', at: '2026-03-02T09:00:00Z', text })
    assert.equal((await fetch(`${spaces}/utterances`, { method: 'POST', headers, body })).status, 201)
  }
  assert.match(await (await fetch(`${spaces}/recall?query=Lisbon`)).text(), /I moved to Lisbon/)
  await eventually(async () => {
    const { stages } = (await (await fetch(`http://127.0.0.1:${port}/v1/status`)).json()) as {
      stages: { name: string; position: number }[]
    }
    const position = stages.find(({ name }) => name === 'topic-loom')?.position
    assert.equal(position, 3)
  })
  await eventually(async () =>
    assert.match(await (await fetch(`${spaces}/feed`)).text(), /"type":"loomlog\.progress\.marked"/),
  )
  const end = { method: 'POST', headers: { traceparent } }
  assert.equal((await fetch(`${spaces}/conversations/c/end`, end)).status, 201)
  // Without a webhook, nothing is posted.
  const traced = known.filter((name) => name !== 'webhooks')
  await eventually(() => {
    const inTrace = new Set(collector.spans.flatMap(({ traceId, service }) => (traceId === trace ? [service] : [])))
    assert.deepEqual(
      traced.filter((service) => !inTrace.has(service)),
      [],
    )
  })
  const gateway = started.find(({ output }) => output().includes('"name":"gateway"'))
  assert.match(gateway?.output() ?? '', new RegExp(`"trace_id":"${trace}".*"request completed"`))
  for (const { ready } of started)
    assert.match(
      await (await fetch(ready.replace('readyz', 'metrics'))).text(),
      /^# TYPE loomlog_lease_lag_records gauge/m,
    )
  const keys = async (...args: readonly string[]) => {
    const made = start(['node', 'packages/cli/main.ts', 'keys', ...args, '--json'], environment)
    assert.equal(await made.exit, 0, made.output())
    return JSON.parse(made.output().trim().split('\n').at(-1) ?? '') as { id: string; key: string }
  }
  const { id, key } = await keys('create', '--tenant', 'default', '--scope', 'recall')
  const recalled = async (headers: { authorization?: string } = {}) =>
    (await fetch(`${spaces}/recall?query=Lisbon`, { headers })).status
  const authorization = `Bearer ${key}`
  await eventually(async () => assert.deepEqual([await recalled(), await recalled({ authorization })], [401, 200]))
  await keys('revoke', id)
  await eventually(async () => assert.deepEqual([await recalled(), await recalled({ authorization })], [401, 401]))
  const stoppedAt = performance.now()
  for (const { child } of started) child.kill('SIGTERM')
  for (const { exit, output } of started) assert.equal(await exit, 0, output())
  const seconds = (performance.now() - stoppedAt) / 1_000
  t.diagnostic(`${started.length} processes stopped within ${seconds.toFixed(1)} s`)
  assert.ok(seconds < 10)
})

function start(
  command: readonly string[],
  environment: object,
): { child: ChildProcess; exit: Promise<number | null>; output(): string } {
  const [, ...args] = command
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  return { child, exit: new Promise((resolve) => child.on('close', resolve)), output: () => output }
}
