/** A memory in this process: the pipeline by rules and the gateway, on a log of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@loomlog/app/server'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import pino from 'pino'

const longestWaitMs = 30_000

export interface Reply {
  readonly status: number
  readonly text: string
}

export interface ServedMemory {
  get(path: string): Promise<Reply>
  post(path: string, body: object): Promise<Reply>
  /** Appends to a space, ends the conversation, and waits until the views have every derived memory: the last reply. */
  derive(space: string, utterance: { readonly conversation: string }): Promise<Reply>
}

export async function servedMemory(test: { after(close: () => Promise<unknown>): void }): Promise<ServedMemory> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-served-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  const stopping = new AbortController()
  const server = await startServer(host, {
    address: { host: '127.0.0.1', port: 0 },
    logger: pino({ level: 'silent' }),
    signal: stopping.signal,
    onNews() {},
  })
  test.after(async () => {
    stopping.abort()
    await server.close()
    await host.close()
    await rm(dir, { recursive: true, force: true })
  })
  async function request(path: string, init: RequestInit = {}): Promise<Reply> {
    const reply = await fetch(`${server.url}${path}`, init)
    return { status: reply.status, text: await reply.text() }
  }
  const post = (path: string, body: object) =>
    request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const get = (path: string) => request(path)
  return {
    get,
    post,
    async derive(space, utterance) {
      const appended = await post(`/v1/spaces/${space}/utterances`, utterance)
      if (appended.status !== 201) return appended
      const ended = await post(
        `/v1/spaces/${space}/conversations/${encodeURIComponent(utterance.conversation)}/end`,
        {},
      )
      if (ended.status !== 201) return ended
      const { position } = JSON.parse(ended.text) as { position: string }
      const query = new URLSearchParams({
        query: 'anything',
        after: position,
        reach: 'derived',
        wait: String(longestWaitMs),
      })
      return await get(`/v1/spaces/${space}/recall?${query}`)
    },
  }
}
