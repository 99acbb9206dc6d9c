/**
 * An OpenAI-compatible endpoint that answers chat completions from recorded answers. A request without one waits for
 * the relay folder, and its answer is recorded; any number may wait at the same time. Without a relay folder it is
 * refused, and `missing` rejects. The text of an answer is passed on unchanged, also if it is no JSON. Tokens are
 * counted (o200k), not estimated.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { LoomlogError } from '@loomlog/errors'
import {
  type AnswerStore,
  type ChatRequest,
  type RecordedAnswer,
  recordingName,
  requestHash,
  tokensIn,
} from './answer-store.ts'
import type { RelayFolder } from './relay-folder.ts'

export interface EndpointCounts {
  readonly asked: number
  /** Answered from the recording. */
  readonly recorded: number
  /** Answered through the relay folder. */
  readonly relayed: number
  readonly waiting: number
}

export interface RecordedEndpoint {
  /** The URL with `/v1`. */
  readonly baseUrl: string
  /** Never resolves. @throws LoomlogError `not-found` at the first request that can't be answered */
  readonly missing: Promise<never>
  counts(): EndpointCounts
  close(): Promise<void>
}

export interface RecordedEndpointOptions {
  readonly store: AnswerStore
  /** Null: every answer must be recorded. */
  readonly relay: RelayFolder | null
  readonly onProgress: (counts: EndpointCounts) => void
}

export async function startRecordedEndpoint({ store, relay, onProgress }: RecordedEndpointOptions) {
  const counts = { asked: 0, recorded: 0, relayed: 0, waiting: 0 }
  const closing = new AbortController()
  const waiting = new Map<string, Promise<RecordedAnswer>>()
  const { promise: missing, reject: rejectMissing } = Promise.withResolvers<never>()
  missing.catch(() => {})
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => refuse(response, 500, error.message))
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== '/v1/chat/completions') return refuse(response, 404, `there is no ${request.url}`)
    const { model, messages, response_format } = JSON.parse(await text(request)) as ChatRequest & {
      readonly model: string
    }
    const asked: ChatRequest = { messages, ...(response_format && { response_format }) }
    const given = await answerTo(asked)
    if (given === null) {
      rejectMissing(
        new LoomlogError(
          'not-found',
          `a request of ${recordingName(asked)} has no recorded answer: name a folder with --relay to answer it`,
        ),
      )
      return refuse(response, 503, 'there is no recorded answer')
    }
    const message = { role: 'assistant', content: given.answer }
    const outputTokens = tokensIn(given.answer)
    const usage = {
      prompt_tokens: given.inputTokens,
      completion_tokens: outputTokens,
      total_tokens: given.inputTokens + outputTokens,
    }
    const choices = [{ index: 0, finish_reason: 'stop', message }]
    const reply = { id: given.hash, object: 'chat.completion', created: 0, model, choices, usage }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  }

  async function answerTo(request: ChatRequest): Promise<RecordedAnswer | null> {
    counts.asked += 1
    const known = store.find(request)
    if (known !== null) {
      counts.recorded += 1
      onProgress({ ...counts })
      return known
    }
    if (relay === null) return null
    counts.waiting += 1
    onProgress({ ...counts })
    const hash = requestHash(request)
    const answer = waiting.get(hash) ?? relay.ask(request, closing.signal).then((said) => store.record(request, said))
    waiting.set(hash, answer)
    try {
      const given = await answer
      counts.relayed += 1
      return given
    } finally {
      waiting.delete(hash)
      counts.waiting -= 1
      onProgress({ ...counts })
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const endpoint: RecordedEndpoint = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    missing,
    counts: () => ({ ...counts }),
    async close() {
      closing.abort(new Error('the endpoint is closed'))
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return endpoint
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
}
