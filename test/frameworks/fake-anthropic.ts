/** A fake of Anthropic's Messages API for tests: a real HTTP server, which streams the replies of its script. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The text of a reply; a call of a tool; `failure`: status 400; `silence`: no end. */
export type Reply = string | { readonly tool: string; readonly input: object } | 'failure' | 'silence'

export interface Request {
  readonly model: string
  readonly messages: readonly unknown[]
}

export interface FakeAnthropic extends AsyncDisposable {
  readonly url: string
  /** Of the calls so far. */
  readonly requests: readonly Request[]
  readonly silenced: Promise<void>
}

export async function fakeAnthropic(...replies: readonly Reply[]): Promise<FakeAnthropic> {
  const requests: Request[] = []
  const silenced = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}')
    if (!request.url?.startsWith('/v1/messages?')) return refuse(response, 404)
    const reply = replies[requests.length] ?? replies.at(-1) ?? 'failure'
    requests.push(body)
    if (reply === 'failure') return refuse(response, 400)
    stream(response, body.model, reply, `message-${requests.length}`)
    if (reply === 'silence') return silenced.resolve()
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    silenced: silenced.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: 'refused' } }))
}

function stream(response: ServerResponse, model: string, reply: Reply, id: string): void {
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  const usage = { input_tokens: 1, output_tokens: 1 }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send('message_start', {
    message: { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage },
  })
  const [block, delta] =
    typeof reply === 'string'
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: reply },
        ]
      : [
          { type: 'tool_use', id: `call-${id}`, name: reply.tool, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(reply.input) },
        ]
  send('content_block_start', { index: 0, content_block: block })
  send('content_block_delta', { index: 0, delta })
  if (reply === 'silence') return
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: typeof reply === 'string' ? 'end_turn' : 'tool_use' }, usage })
  send('message_stop', {})
}
