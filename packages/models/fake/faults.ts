/** The faults of the fake endpoint: some replace its reply, others spoil the model's answer. */
import type { ServerResponse } from 'node:http'

export type Fault =
  /** A normal answer. */
  | { readonly fault: 'none' }
  | {
      readonly fault: 'status'
      readonly status: number
      readonly retryAfterSeconds?: number
      readonly code?: string
      readonly param?: string
      readonly message?: string
    }
  /** Never answers. */
  | { readonly fault: 'hang' }
  /** Sends half of the reply, and never the rest. */
  | { readonly fault: 'hang-midway' }
  /** Ends the connection without a reply. */
  | { readonly fault: 'reset' }
  /** Ends the connection in the middle of the reply. */
  | { readonly fault: 'reset-midway' }
  /** Sends this body as JSON. */
  | { readonly fault: 'body'; readonly status: number; readonly body: string }
  /** 200 with a page of HTML, as broken proxies send. */
  | { readonly fault: 'html' }
  /** The model's answer is not JSON. */
  | { readonly fault: 'invalid-json' }
  /** The model's answer is JSON that doesn't fit the schema. */
  | { readonly fault: 'breaks-schema' }
  | { readonly fault: 'refusal' }
  /** The model's answer ends at the length limit. */
  | { readonly fault: 'cut-off' }

/** Sends the faults of the transport: true if it has taken over the reply. */
export function sendFault(fault: Fault, response: ServerResponse, reply: string): boolean {
  const half = reply.slice(0, reply.length / 2)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) }
  switch (fault.fault) {
    case 'status':
      sendStatus(fault, response)
      return true
    case 'hang':
      return true
    case 'hang-midway':
      response.writeHead(200, headers).write(half)
      return true
    case 'reset':
      response.destroy()
      return true
    case 'reset-midway':
      response.writeHead(200, headers).write(half, () => response.destroy())
      return true
    case 'body':
      response.writeHead(fault.status, { 'content-type': 'application/json' }).end(fault.body)
      return true
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>fake gateway</html>')
      return true
    default:
      return false
  }
}

function sendStatus(fault: Extract<Fault, { readonly fault: 'status' }>, response: ServerResponse): void {
  const { status, retryAfterSeconds, code = null, param = null, message = `fake status ${status}` } = fault
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', retryAfterSeconds)
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message, code, param, type: 'fake_error' } }))
}

/** Applies the faults of the model to its answer. */
export function applyFault(fault: Fault, answer: string): FakeChoice {
  switch (fault.fault) {
    case 'invalid-json':
      return choice(`Sure! Here it is: ${answer}`, null, 'stop')
    case 'breaks-schema':
      return choice('{"fake":"this fits no schema"}', null, 'stop')
    case 'refusal':
      return choice(null, 'fake refusal', 'stop')
    case 'cut-off':
      return choice(answer.slice(0, answer.length / 2), null, 'length')
    default:
      return choice(answer, null, 'stop')
  }
}

interface FakeChoice {
  readonly index: 0
  readonly message: { readonly role: 'assistant'; readonly content: string | null; readonly refusal: string | null }
  readonly finish_reason: 'stop' | 'length'
}

function choice(content: string | null, refusal: string | null, finish: FakeChoice['finish_reason']): FakeChoice {
  return { index: 0, message: { role: 'assistant', content, refusal }, finish_reason: finish }
}
