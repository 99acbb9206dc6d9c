/**
 * For tests: an encrypted memory with all its services in this process, over HTTP, and a model that states each line.
 */
import { join } from 'node:path'
import { startServer } from '@loomlog/app/server'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import type { Log } from '@loomlog/log/port'
import { type FakeEndpoint, startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import pino from 'pino'
import { factRow, linesOf } from '../eval/rederive/lines.ts'
import { fakeModelAnswer } from './fake-model.ts'
import { folder } from './forgetting-fixture.ts'
import type { Environment } from './loomlog.ts'

export interface Reply {
  readonly status: number
  readonly text: string
}

export interface ServedMemory {
  readonly host: Host
  readonly url: string
  readonly environment: Environment
  readonly endpoint: FakeEndpoint
  /** The folder of the test; the log is in `log`. */
  readonly dir: string
  /** The body of a reply that succeeded. */
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: object): Promise<T>
  reply(path: string, body?: object): Promise<Reply>
  /** Ends the waits of the space, and returns when the views have everything. */
  settle(space: string): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
}

export interface ServedOptions {
  /** Whether forgettings are carried out, or only requested. */
  readonly forgettings: 'carried out' | 'requested'
}

type AfterHook = Parameters<typeof folder>[0]

export async function servedMemory(t: AfterHook, { forgettings }: ServedOptions): Promise<ServedMemory> {
  const dir = await folder(t)
  const endpoint = await startFakeEndpoint({ answer: modelAnswer, dimensions: 16 })
  t.after(() => endpoint.close())
  const environment = {
    LOOMLOG_DIR: join(dir, 'log'),
    LOOMLOG_MODEL: 'fake-model',
    LOOMLOG_MODEL_URL: endpoint.baseUrl,
    LOOMLOG_API_KEY: 'fake-key',
    LOOMLOG_EMBEDDER: 'words',
    LOOMLOG_PARTITIONS: '2',
    LOOMLOG_SESSION_MS: '1000',
    LOOMLOG_WEBHOOK_NETWORKS: '127.0.0.0/8',
  }
  const host = await openHost(configFrom(environment))
  const stopping = new AbortController()
  const options = { address: { host: '127.0.0.1', port: 0 }, logger: pino({ level: 'silent' }), onNews() {} }
  const log = forgettings === 'requested' ? withoutForgettings(host.log) : host.log
  const server = await startServer({ ...host, log }, { ...options, signal: stopping.signal })
  let closing: Promise<void> | null = null
  async function end(): Promise<void> {
    stopping.abort()
    await server.close()
    await host.close()
  }
  const close = () => {
    closing ??= end()
    return closing
  }
  t.after(close)
  async function reply(path: string, body?: object): Promise<Reply> {
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const found = await fetch(`${server.url}${path}`, sent)
    return { status: found.status, text: await found.text() }
  }
  async function done<T>(path: string, body?: object): Promise<T> {
    const { status, text } = await reply(path, body)
    if (status >= 300) throw new Error(`${path} is answered ${status}: ${text}`)
    return JSON.parse(text) as T
  }
  async function settle(space: string): Promise<void> {
    const { position } = await done<{ position: string }>(`/v1/spaces/${space}/end`, {})
    await done(`/v1/spaces/${space}/recall?query=anything&after=${position}&reach=derived&wait=30000`)
  }
  return { host, url: server.url, environment, endpoint, dir, get: done, post: done, reply, settle, close }
}

/** A fact for each line, in its words. */
function modelAnswer(request: Parameters<typeof fakeModelAnswer>[0]) {
  if (request.schemaName !== 'extract-facts') return fakeModelAnswer(request)
  const rows = linesOf(String(request.input)).map(({ label, speaker, text }) =>
    factRow({ label, kind: 'state', subject: speaker, rest: text.replace(/^I /, '') }),
  )
  return { rows }
}

/** No process leases the topic of forgettings. */
function withoutForgettings(log: Log): Log {
  const none = { heldPartitions: [], close: async () => {} }
  return { ...log, join: async (options) => (options.topic === 'forgettings' ? none : log.join(options)) }
}
