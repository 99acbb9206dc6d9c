/** `loomlog up` as a process: its memory settings, its exit codes, its health port, and the first key of a folder. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { freePorts } from '@loomlog/kafka-local/free-ports'
import { eventually } from '../eventually.ts'
import { startProgram } from '../pipeline/loomlog.ts'
import { assertRefused, assertSucceeded, commandFixture } from './fixture.ts'

async function openPlace(t: TestContext) {
  const place = await commandFixture()
  t.after(() => place.remove())
  return place
}

/** Starts a server, and returns when it has printed its address. */
async function up(t: TestContext, environment: { readonly [name: string]: string }) {
  const running = startProgram(['up', '--port', '0', '--json'], environment)
  t.after(() => running.process.kill('SIGKILL'))
  const early = running.finished.then(({ stderr }) => Promise.reject(new Error(`it ended: ${stderr}`)))
  early.catch(() => {})
  await Promise.race([early, eventually(() => assert.match(running.output(), /"url":/))])
  const url = /"url":"([^"]+)"/.exec(running.output())?.[1] ?? ''
  return { ...running, url }
}

test('up runs with the memory settings of the image, under its own process id, and keeps those of the user', async (t) => {
  if (process.platform !== 'linux') return t.skip('it reads /proc')
  const place = await openPlace(t)
  const { process: child } = await up(t, { ...place.environment, MALLOC_ARENA_MAX: '3', NODE_OPTIONS: '--no-warnings' })
  const settings = Object.fromEntries(
    readFileSync(`/proc/${child.pid}/environ`, 'utf8')
      .split('\0')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const { MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_, MALLOC_TRIM_THRESHOLD_, NODE_OPTIONS } = settings
  assert.deepEqual([MALLOC_ARENA_MAX, MALLOC_MMAP_THRESHOLD_, MALLOC_TRIM_THRESHOLD_], ['3', '131072', '131072'])
  assert.equal(NODE_OPTIONS, '--no-warnings --max-semi-space-size=16')
})

test('up ends with 0 on SIGTERM, a clean stop, and with 130 on Ctrl-C', async (t) => {
  const place = await openPlace(t)
  for (const [signal, code] of [
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const) {
    const running = await up(t, place.environment)
    running.process.kill(signal)
    const end = await running.finished
    assert.deepEqual([end.code, end.signal], [code, null], end.stderr)
  }
})

test('up is alive and ready on its health port, and refuses a port that another process has', async (t) => {
  const place = await openPlace(t)
  const [port] = await freePorts(1)
  await up(t, { ...place.environment, LOOMLOG_HEALTH_PORT: String(port) })
  const statusOf = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`)
    return [reply.status, ((await reply.json()) as { status: string }).status]
  }
  await eventually(async () => assert.deepEqual(await statusOf('/readyz'), [200, 'ok']))
  assert.deepEqual(await statusOf('/livez'), [200, 'ok'])
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`)
  assert.match(await metrics.text(), /^loomlog_space_cache_bytes /m)
  const taken = await startProgram(['up', '--port', '0'], { ...place.environment, LOOMLOG_HEALTH_PORT: String(port) })
    .finished
  assert.equal(taken.code, 2, taken.stderr)
  assert.match(taken.stderr, new RegExp(`LOOMLOG_HEALTH_PORT ${port}: .*EADDRINUSE`))
})

test('a fresh folder takes a key, and then up listens beyond loopback and asks for the key', async (t) => {
  const place = await openPlace(t)
  const created = await place.run(
    'keys',
    'create',
    '--tenant',
    'acme',
    '--scope',
    'append',
    '--scope',
    'recall',
    '--json',
  )
  assertSucceeded(created)
  const { key } = JSON.parse(created.stdout) as { key: string }
  const { url } = await up(t, { ...place.environment, LOOMLOG_HTTP_HOST: '0.0.0.0' })
  const recall = (headers: { [name: string]: string }) =>
    fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/v1/spaces/team/recall?query=boat`, { headers })
  assert.equal((await recall({})).status, 401)
  const keyless = await place.run('recall', 'boat', '--url', url.replace('0.0.0.0', '127.0.0.1'))
  assertRefused(keyless, 2, /^loomlog: there is no key: .*; a command takes it from --key or LOOMLOG_KEY$/m)
  assert.equal((await recall({ authorization: `Bearer ${key}` })).status, 200)
})
