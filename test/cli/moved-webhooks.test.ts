/** Webhooks of a log that is restored from a backup, that is copied, or whose webhook key is gone. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { rename, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { eventually } from '../eventually.ts'
import { loomlog, type RunningProgram, startProgram } from '../pipeline/loomlog.ts'
import { assertSucceeded, commandFixture, utteranceLine } from './fixture.ts'

const deliveryMs = 60_000

test('after a backup is restored into an empty folder, webhooks deliver, signed with the secret of their creation', async (t) => {
  const { place, dir, run, start } = await withWebhooks(t)
  const target = await receiver(t)
  const { secret } = JSON.parse(await run('webhooks', 'create', target.url, '--from', 'beginning', '--json'))
  const backup = join(place.folder, 'backup')
  assert.match(await run('backup', backup), /keep it as a secret/)
  assert.equal(await modeOf(join(backup, 'webhook-key')), '600')
  await rm(dir, { recursive: true })
  await run('restore', backup)
  assert.equal(await modeOf(join(dir, 'webhook-key')), '600')
  await start()
  await eventually(() => assert.ok(target.requests.length > 0, 'no delivery'), deliveryMs)
  for (const request of target.requests) assert.ok(isSigned(request, secret), JSON.stringify(request))
})

test('without the webhook key, webhooks say so and wait, with one line in the log; when it is back, they deliver', async (t) => {
  const { dir, run, start } = await withWebhooks(t)
  const target = await receiver(t)
  const created: { readonly secret: string }[] = []
  for (const name of ['one', 'two'])
    created.push(JSON.parse(await run('webhooks', 'create', `${target.url}/${name}`, '--from', 'beginning', '--json')))
  const [key, away] = [join(dir, 'webhook-key'), join(dir, 'away')]
  await rename(key, away)
  assert.match(await run('webhooks', 'list'), /no-key .*webhook key is missing/)
  const { url, output } = await start()
  const list = async () =>
    ((await (await fetch(`${url}/v1/webhooks`)).json()) as { webhooks: ListedWebhook[] }).webhooks
  const [one, two] = await list()
  assert.deepEqual([one?.status, two?.status], ['no-key', 'no-key'])
  assert.match(one?.reason ?? '', /webhook key is missing/)
  assert.deepEqual(await (await fetch(`${url}/v1/webhooks/${one?.id}`)).json(), one)
  const keyLines = () =>
    output()
      .split('\n')
      .filter((line) => /webhook key/.test(line))
  await eventually(() => assert.equal(keyLines().length, 1, output()), deliveryMs)
  assert.deepEqual(target.requests, [])

  await rename(away, key)
  await eventually(() => {
    for (const { secret } of created) assert.ok(target.requests.some((request) => isSigned(request, secret)))
  }, deliveryMs)
  assert.deepEqual(
    (await list()).map(({ status, parked }) => [status, parked]),
    [
      ['enabled', 0],
      ['enabled', 0],
    ],
  )
  assert.equal(keyLines().filter((line) => line.includes('"level":40')).length, 1, output())
})

test('a copied log has the webhooks, with status and secret, and posts them its feed from the beginning', async (t) => {
  const { place, dir, run, start } = await withWebhooks(t)
  const target = await receiver(t)
  const kept = JSON.parse(await run('webhooks', 'create', target.url, '--json'))
  const paused = JSON.parse(await run('webhooks', 'create', `${target.url}/paused`, '--json'))
  await run('webhooks', 'pause', paused.id)
  const before = await run('webhooks', 'list', '--json')
  const copy = join(place.folder, 'copy')
  const copied = await run('log', 'copy', '--from', `sqlite:${dir}`, '--to', `sqlite:${copy}`)
  assert.match(copied, /^webhooks: 3 records/m)
  assert.match(copied, /whole feed/)
  assert.equal(await modeOf(join(copy, 'webhook-key')), '600')
  assert.equal(await run('webhooks', 'list', '--json', '--dir', copy), before)
  await run('log', 'copy', '--from', `sqlite:${dir}`, '--to', `sqlite:${copy}`)
  await start('--dir', copy)
  await eventually(() => assert.ok(target.requests.length > 0, 'no delivery'), deliveryMs)
  for (const request of target.requests) assert.ok(isSigned(request, kept.secret), JSON.stringify(request))
})

interface ListedWebhook {
  readonly id: string
  readonly status: string
  readonly reason: string
  readonly parked: number
}

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** By Standard Webhooks. */
function isSigned({ headers, body }: ReceivedRequest, secret: string): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

async function receiver(t: TestContext) {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) })
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** A log with one utterance, whose webhooks may reach this machine. */
async function withWebhooks(t: TestContext) {
  const place = await commandFixture()
  const servers: RunningProgram[] = []
  t.after(async () => {
    for (const { process } of servers) process.kill('SIGTERM')
    for (const { finished } of servers) await finished
    await place.remove()
  })
  const environment = { ...place.environment, LOOMLOG_WEBHOOK_NETWORKS: '127.0.0.0/8' }
  const run = async (...args: readonly string[]) => {
    const result = await loomlog(args, environment)
    assertSucceeded(result)
    return result.stdout
  }
  await run('ingest', await place.file('talk.jsonl', utteranceLine()))
  const start = async (...args: readonly string[]) => {
    const running = startProgram(['up', '--port', '0', '--json', ...args], environment)
    servers.push(running)
    const [started] = (await once(running.process.stdout as Readable, 'data')) as [Buffer]
    return { url: JSON.parse(started.toString()).url as string, output: running.output }
  }
  return { place, dir: place.environment.LOOMLOG_DIR ?? '', run, start }
}

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o777).toString(8)
}
