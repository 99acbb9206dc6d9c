/**
 * A connection to an OpenAI-compatible endpoint, shared by chat and embeddings. It has an in-flight limit and a timeout
 * for each request, the body included. It repeats a request once if the endpoint closed its idle socket; other retries
 * are the caller's. A call ends in a reply, in a refusal of the input, or by throwing ModelUnavailable or the caller's
 * abort reason. No message contains the key.
 */
import OpenAI, { APIConnectionTimeoutError, APIError } from 'openai'
import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici'
import { type CallOptions, type InFlightLimiter, inFlightLimiter } from '../in-flight-limiter.ts'
import { ModelUnavailable } from '../unavailable.ts'
import { isIdleClose, rootCause } from './failed-call.ts'
import { type Refusal, refusalOf } from './refusal.ts'

export interface ConnectionOptions {
  /** The URL with `/v1`. */
  readonly baseUrl: string
  /** Empty for endpoints without a key. */
  readonly apiKey: string
  /** Default 60,000. */
  readonly timeoutMs?: number
  /** Shared by connections that count together. Default: 8 calls of this connection. */
  readonly limiter?: InFlightLimiter
}

export type CallOutcome<T> =
  | { readonly refusal: null; readonly reply: T }
  | { readonly refusal: Refusal; readonly reply: null }

/** The caller of a model. */
export interface ModelCallOptions extends CallOptions {
  /**
   * Runs each request once it holds its slot, so that the caller sees the endpoint's time without that of the queue.
   */
  readonly whileInFlight?: (<T>(request: () => Promise<T>) => Promise<T>) | undefined
  /** Called when a request is sent, also one that fails; not for a request that a limit keeps back. */
  readonly onCall?: (() => void) | undefined
  /** Whether the answer is recorded in the log, where every process counts its tokens. Default: no. */
  readonly isRecorded?: boolean | undefined
}

interface Connection {
  /** @throws ModelUnavailable */
  call<T>(
    send: (client: OpenAI, options: { readonly signal: AbortSignal | undefined }) => Promise<T>,
    caller: ModelCallOptions,
  ): Promise<CallOutcome<T>>
}

/**
 * Node's own fetch takes no dispatcher of another version of undici. Their types differ, and their behaviour doesn't.
 */
const socketFetch = fetch as unknown as typeof globalThis.fetch

/** Above the timeout, so that the timeout ends a call and its message names the limit. */
const socketMarginMs = 1_000

/**
 * Node's HTTP client ends a reply by itself after 300 s without headers, or without a byte of the body: a slow model
 * takes longer.
 */
export function socketTimeouts(timeoutMs: number) {
  const most = timeoutMs + socketMarginMs
  return { headersTimeout: most, bodyTimeout: most }
}

/**
 * As Node's own fetch: the proxies of HTTP_PROXY, HTTPS_PROXY and NO_PROXY count if NODE_USE_ENV_PROXY or the option
 * --use-env-proxy is set.
 */
function dispatcherWith(timeouts: ReturnType<typeof socketTimeouts>): Dispatcher {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = '' } = process.env
  const options = [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)]
  const usesProxies = NODE_USE_ENV_PROXY === '1' || options.includes('--use-env-proxy')
  if (!usesProxies) return new Agent(timeouts)
  // undici gives a proxy's own connection none of the agent's timeouts, so each request has them.
  return new EnvHttpProxyAgent(timeouts).compose(
    (dispatch) => (request, handler) => dispatch({ ...request, ...timeouts }, handler),
  )
}

/** `name` is the model's name in messages: `openai:gpt-4o-mini`. */
export function connect(name: string, options: ConnectionOptions): Connection {
  const timeoutMs = options.timeoutMs ?? 60_000
  const limiter = options.limiter ?? inFlightLimiter(8)
  const client = new OpenAI({
    baseURL: options.baseUrl,
    // Without a key, the client would send the environment's key to this endpoint.
    apiKey: options.apiKey || 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: timeoutMs,
    fetch: socketFetch,
    fetchOptions: { dispatcher: dispatcherWith(socketTimeouts(timeoutMs)) },
    logLevel: 'off',
  })
  return {
    call: (send, caller) =>
      limiter.run(async () => {
        const { signal, whileInFlight = (request) => request() } = caller
        try {
          const request = () => whileInFlight(() => send(client, { signal }))
          return { refusal: null, reply: await againIfClosed(request) }
        } catch (error) {
          signal?.throwIfAborted()
          if (error instanceof ModelUnavailable) throw error
          if (error instanceof APIConnectionTimeoutError) {
            throw new ModelUnavailable(`${name} at ${options.baseUrl} gave no answer within ${timeoutMs} ms`)
          }
          const refusal = refusalOf(error)
          if (refusal && refusal.about !== 'configuration') return { refusal, reply: null }
          throw unavailable(`${name} at ${options.baseUrl}`, error, options.apiKey)
        }
      }, caller),
  }
}

/**
 * Endpoints close idle sockets, now and then just as a request leaves on one. Node's `fetch` reports that as an error
 * and leaves the retry to its caller. A connection lost later, or within a reply, is not tried again: the work may be
 * paid for.
 */
async function againIfClosed<T>(request: () => Promise<T>): Promise<T> {
  const sentAt = performance.now()
  try {
    return await request()
  } catch (error) {
    if (!isIdleClose(error, performance.now() - sentAt)) throw error
    return await request()
  }
}

function unavailable(name: string, error: unknown, apiKey: string): ModelUnavailable {
  const cause = withoutKey(error, apiKey)
  const root = rootCause(cause)
  const why = root === cause ? cause.message : `${cause.message} (${root.message})`
  const headers = error instanceof APIError ? error.headers : undefined
  return new ModelUnavailable(`${name} is unavailable: ${why.slice(0, 300)}${advice(error)}`, {
    cause,
    retryAfterMs: retryAfterMs(headers),
  })
}

function advice(error: unknown): string {
  const status = error instanceof APIError ? error.status : undefined
  if (status === 401) return '; check LOOMLOG_API_KEY'
  return status === 403 ? '; the key in LOOMLOG_API_KEY has no permission for this model' : ''
}

/** Endpoints quote the key, and errors carry headers. So only names and messages are kept, without the key. */
function withoutKey(error: unknown, apiKey: string): Error {
  const original = error instanceof Error ? error : new Error(String(error))
  const cause = original.cause === undefined ? {} : { cause: withoutKey(original.cause, apiKey) }
  const message = apiKey.length < 4 ? original.message : original.message.replaceAll(apiKey, '[key]')
  const copy = new Error(message, cause)
  copy.name = original.name
  return copy
}

/** `retry-after` counts seconds or names a date; some endpoints also send `retry-after-ms`. */
function retryAfterMs(headers: Headers | undefined): number | null {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (ms >= 0) return ms
  const after = headers?.get('retry-after')
  if (!after) return null
  const seconds = Number(after)
  const wait = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1_000
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : null
}
