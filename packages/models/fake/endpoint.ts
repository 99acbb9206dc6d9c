/**
 * A fake OpenAI-compatible endpoint for tests and measurements: a real HTTP server on this machine, whose answers and vectors
 * are made up and the same every time. It counts who asks, takes as long as it is told to, and does wrong what its script says.
 *
 * In the mode `forbid` it answers nobody (599) and counts them: the proof that a replay asked no one.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '@loomlog/schemas/ids'
import { type Fault, sendFault } from './faults.ts'
import { type AnswerFor, type Body, chatReply, embeddingsReply } from './replies.ts'

export type { Fault } from './faults.ts'
export type { FakeRequest } from './replies.ts'

export type FakeMode = 'answer' | 'forbid'

export interface FakeEndpointOptions {
  /** The same for all, or by the text of the request's body. */
  readonly latencyMs?: number | ((body: string) => number)
  /** One for each call that comes, in order, on either path; then all is well. */
  readonly script?: readonly Fault[]
  /** What to answer; by default something made up that fits the schema. */
  readonly answer?: AnswerFor
  readonly mode?: FakeMode
  /** Of its vectors. Default 64. */
  readonly dimensions?: number
}

export interface FakeCalls {
  /** Everything that came in, refused or not. */
  readonly total: number
  readonly chat: number
  readonly embeddings: number
  /** Those that came while it was forbidden. */
  readonly forbidden: number
  /** How many texts were to be embedded. */
  readonly texts: number
  /** A token is four characters here, and those of replies that went wrong on the way count too. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The most that were under way at one time. */
  readonly mostAtOnce: number
}

export interface FakeEndpoint {
  /** With `/v1`. */
  readonly baseUrl: string
  calls(): FakeCalls
  setMode(mode: FakeMode): void
  /** Replaces what is left of the script. */
  setScript(script: readonly Fault[]): void
  /** Counts from zero again. */
  reset(): void
  /** Ends every connection, those that hang too. */
  close(): Promise<void>
}

const noCalls = {
  total: 0,
  chat: 0,
  embeddings: 0,
  forbidden: 0,
  texts: 0,
  inputTokens: 0,
  outputTokens: 0,
  mostAtOnce: 0,
}

export async function startFakeEndpoint(options: FakeEndpointOptions = {}): Promise<FakeEndpoint> {
  const dimensions = options.dimensions ?? 64
  let script = [...(options.script ?? [])]
  let mode = options.mode ?? 'answer'
  let counts = { ...noCalls }
  let underWay = 0

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    counts.total++
    counts.mostAtOnce = Math.max(counts.mostAtOnce, ++underWay)
    response.on('close', () => underWay--)
    const forbidden = mode === 'forbid'
    if (forbidden) counts.forbidden++
    const fault = script.shift() ?? { fault: 'none' as const }
    const sent = await textOf(request)
    const body = JSON.parse(sent) as Body
    const latencyMs = typeof options.latencyMs === 'function' ? options.latencyMs(sent) : options.latencyMs
    if (latencyMs) await sleep(latencyMs)
    if (forbidden) return refuse(response, 599, 'this fake endpoint is forbidden')
    const reply = answer(request.url, body, fault)
    if (reply === null) return refuse(response, 404, `the fake has no ${request.url}`)
    const text = JSON.stringify(reply)
    if (sendFault(fault, response, text)) return
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  }

  function answer(path: string | undefined, body: Body, fault: Fault): Json | null {
    const isChat = path === '/v1/chat/completions'
    if (!isChat && path !== '/v1/embeddings') return null
    const made = isChat ? { ...chatReply(body, fault, options.answer), texts: 0 } : embeddingsReply(body, dimensions)
    if (isChat) counts.chat++
    else counts.embeddings++
    counts.texts += made.texts
    counts.inputTokens += made.inputTokens
    counts.outputTokens += made.outputTokens
    return made.reply
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      refuse(response, 500, `the fake endpoint failed: ${error.message}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls: () => ({ ...counts }),
    setMode(next) {
      mode = next
    },
    setScript(next) {
      script = [...next]
    },
    reset() {
      counts = { ...noCalls }
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendFault({ fault: 'status', status, message }, response, '')
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
