/** For tests: a server by a script. Each request gets the next reply, and the last reply repeats. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { LoomlogClient, type ServerAddress } from './loomlog-client.ts'

type Reply = (response: ServerResponse) => void

interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly atMs: number
}

interface FakeServer {
  readonly client: LoomlogClient
  readonly url: string
  readonly sent: readonly SentRequest[]
}

export async function fakeServer(
  t: TestContext,
  replies: readonly Reply[],
  options: Omit<ServerAddress, 'url'> = {},
): Promise<FakeServer> {
  const sent: SentRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const reply = replies[Math.min(sent.length, replies.length - 1)]
    const place = sent.push({ method, path, headers, body: '', atMs: performance.now() }) - 1
    const body = await text(request)
    sent[place] = { ...(sent[place] as SentRequest), body }
    reply?.(response)
  })
  server.listen(0, '127.0.0.1')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { client: new LoomlogClient({ url, ...options }), url, sent }
}

export function json(body: unknown, status = 200, headers: { readonly [name: string]: string } = {}): Reply {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export function problem(status: number, code: string, headers: { readonly [name: string]: string } = {}): Reply {
  return json({ type: `urn:loomlog:problem:${code}`, status, detail: `the detail of ${code}` }, status, headers)
}

/** The request is done, and its reply is lost. */
export const lost: Reply = (response) => void response.destroy()

/** Half of a reply. */
export function brokenOff(response: ServerResponse, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': '100' }).write('{"some":')
  setTimeout(() => response.destroy(), 20)
}

/** No reply at all. */
export const silent: Reply = () => {}
