/** For tests: a log with a feed and webhooks, a receiver on a port of its own, and a clock that the test advances. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createWebhook, readWebhooks } from '@loomlog/feed/webhook-store'
import type { NewRecord } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { PublishedEvent } from '@loomlog/schemas/events'
import type { Clock } from './webhook-delivery.ts'
import { startWebhooks, type WebhooksOptions } from './webhooks.ts'

const partitions = 2

interface TestClock extends Clock {
  advance(ms: number): void
}

function testClock(): TestClock {
  let now = Date.now()
  const waiting = new Set<() => void>()
  return {
    now: () => now,
    sleep(ms, signal) {
      const until = now + ms
      return new Promise((resolve) => {
        const resolveIfDue = () => {
          if (now < until && !signal.aborted) return
          waiting.delete(resolveIfDue)
          resolve()
        }
        waiting.add(resolveIfDue)
        signal.addEventListener('abort', resolveIfDue, { once: true })
        resolveIfDue()
      })
    },
    advance(ms) {
      now += ms
      for (const resolveIfDue of [...waiting]) resolveIfDue()
    },
  }
}

function eventOf(key: string, n: number): PublishedEvent {
  const [tenant = '', space = ''] = key.split('/')
  const place = { id: `${key} ${n}`, tenant, space, generation: 'g', at: n }
  if (n % 3 === 0) return { type: 'ProgressMarked', ...place, partition: 0, upTo: n }
  const memory = { memory: `m${n}`, change: 'inserted', because: 'derived', trace: 't', title: 'Zoë’s boat' } as const
  return { type: 'LinkPublished', ...place, ...memory, event: 'e', previous: null, score: 1, position: n, keyId: null }
}

export async function webhooksFixture(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-webhooks-'))
  const log = openSqliteLog({ dir })
  for (const name of ['memory-events', 'webhooks']) await log.createTopic({ name, partitions, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const clock = testClock()
  const failing = new Map<string, string>()
  const errors: unknown[] = []
  const closing: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const close of closing.reverse()) await close()
    await log.close()
    await rm(dir, { recursive: true })
  })
  const store = { log, codec }
  const key = { dir, webhookKey: 'k'.repeat(32) }
  let written = 0
  return {
    dir,
    log,
    codec,
    clock,
    failing,
    errors,
    store,
    key,
    /** Publishes one event in each of the spaces, `count` times. @param more further fields of the records */
    async publish(count: number, spaces: readonly string[] = ['acme/home'], more: Partial<NewRecord> = {}) {
      for (const last = written + count; written < last; written++) {
        const value = (space: string) => codec.encode(eventOf(space, written))
        const record = (space: string) => ({ key: space, value: value(space), timestamp: 0, ...more })
        await log.append('memory-events', spaces.map(record))
      }
    },
    async append(event: PublishedEvent) {
      const key = `${event.tenant}/${event.space}`
      await log.append('memory-events', [{ key, value: codec.encode(event), timestamp: 0 }])
    },
    async create(
      url: string,
      settings: { spaces?: readonly string[]; types?: readonly string[] } = {},
      tenant = 'acme',
    ) {
      const request = { url, spaces: null, types: null, from: 'beginning', ...settings } as const
      return await createWebhook(store, request, { tenant, by: 'test', ...key })
    },
    webhook: async (id: string) => (await readWebhooks(store, null)).find((webhook) => webhook.id === id),
    async start(options: Partial<WebhooksOptions> = {}) {
      const started = await startWebhooks({
        log,
        codec,
        partitions,
        beginningOf: async () => 0,
        networks: ['127.0.0.0/8'],
        clock,
        sessionMs: 500,
        ...key,
        onFailing: (webhook, { text }) => failing.set(webhook, text),
        onOver: (webhook) => failing.delete(webhook),
        onKeyMissing: (text) => failing.set('key', text),
        onKeyFound: () => failing.delete('key'),
        onError: (error) => errors.push(error),
        ...options,
      })
      closing.push(() => started.close())
      return started
    },
  }
}

export interface ReceivedRequest {
  readonly path: string
  readonly body: string
  readonly headers: Record<string, string>
}

export interface Receiver {
  readonly url: string
  readonly received: ReceivedRequest[]
  /** The ids of events, each once: an idempotent receiver. */
  readonly ids: string[]
  /** Open connections. */
  connections(): Promise<number>
  close(): Promise<void>
}

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void

const accept: Answer = (_request, response) => {
  response.writeHead(204).end()
}

/** @param answer replies to a request; `ids` lists the events that it answers with 2xx */
export async function receiver(t: TestContext, answer: Answer = accept, port = 0): Promise<Receiver> {
  const received: ReceivedRequest[] = []
  const ids: string[] = []
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const parsed = { path: request.url ?? '', body, headers: request.headers as Record<string, string> }
    received.push(parsed)
    response.on('finish', () => {
      const id = parsed.headers['webhook-id'] ?? ''
      if (response.statusCode < 300 && !ids.includes(id)) ids.push(id)
    })
    answer(parsed, response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t.after(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    ids,
    close,
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count ?? 0))),
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

export async function waitUntil(
  isDone: () => boolean | Promise<boolean>,
  state: () => unknown = () => '',
): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await isDone()); await sleep(5))
    if (Date.now() > deadline) throw new Error(`it does not happen: ${JSON.stringify(state())}`)
}
