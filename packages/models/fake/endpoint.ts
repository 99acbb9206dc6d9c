/**
 * A fake OpenAI-compatible endpoint for tests and measurements: a real HTTP server on this machine with deterministic
 * answers and vectors. It counts calls, delays its replies, and injects the faults of its script.
 *
 * In the mode `forbid` it refuses every call with 599 and counts it: the proof that a replay called no model.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '@loomlog/schemas/ids'
import { type Fault, sendFault } from './faults.ts'
import { type AnswerFor, chatReply, embeddingsReply, type RequestBody } from './replies.ts'

export type { Fault } from './faults.ts'
export type { FakeRequest } from './replies.ts'

export type FakeMode = 'answer' | 'forbid'

export interface FakeEndpointOptions {
  /** Delay of every reply, or of each reply by the text of its request's body. */
  readonly latencyMs?: number | ((body: string) => number)
  /** One fault per call, in order, on either path; calls after the last one succeed. */
  readonly script?: readonly Fault[]
  /** The answer; by default one that fits the schema. */
  readonly answer?: AnswerFor
  readonly mode?: FakeMode
  /** Of the vectors. Default 64. */
  readonly dimensions?: number
}

export interface FakeCalls {
  /** All calls, refused ones included. */
  readonly total: number
  readonly chat: number
  readonly embeddings: number
  /** Calls in the mode `forbid`. */
  readonly forbidden: number
  /** Texts of all embedding calls. */
  readonly texts: number
  /** A token is four characters here. Replies that a fault destroyed count too. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Most calls in flight at one time. */
  readonly mostAtOnce: number
}

export interface FakeEndpoint {
  /** The URL with `/v1`. */
  readonly baseUrl: string
  calls(): FakeCalls
  setMode(mode: FakeMode): void
  /** Replaces the rest of the script. */
  setScript(script: readonly Fault[]): void
  /** Resets all counts to zero. */
  reset(): void
  /** Ends every connection, hanging ones too. */
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
  let inFlight = 0

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    counts.total++
    counts.mostAtOnce = Math.max(counts.mostAtOnce, ++inFlight)
    response.on('close', () => inFlight--)
    const forbidden = mode === 'forbid'
    if (forbidden) counts.forbidden++
    const fault = script.shift() ?? { fault: 'none' as const }
    const sent = await textOf(request)
    const body = JSON.parse(sent) as RequestBody
    const latencyMs = typeof options.latencyMs === 'function' ? options.latencyMs(sent) : options.latencyMs
    if (latencyMs) await sleep(latencyMs)
    if (forbidden) return refuse(response, 599, 'this fake endpoint is forbidden')
    const reply = answer(request.url, body, fault)
    if (reply === null) return refuse(response, 404, `the fake has no ${request.url}`)
    const text = JSON.stringify(reply)
    if (sendFault(fault, response, text)) return
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  }

  function answer(path: string | undefined, body: RequestBody, fault: Fault): Json | null {
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
    // The list of models is no call: it costs nothing.
    if (request.method === 'GET') return void response.end(JSON.stringify({ object: 'list', data: [] }))
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
