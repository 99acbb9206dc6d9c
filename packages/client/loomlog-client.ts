/**
 * A client of loomlog's HTTP API. A reply is trusted to have the form that docs/api.md gives it; a problem becomes a
 * LoomlogError with its code. A repeatable request is sent again after a failure that may pass.
 */
import { type ErrorCode, type Fault, isErrorCode, LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import type { FeedEvent } from './api.ts'
import type { CallOptions } from './memory.ts'
import { optionFields } from './option-fields.ts'
import { type Attempt, type TryLimits, withRetries } from './retries.ts'
import { withTimeLimit } from './timers.ts'

export interface ServerAddress {
  /** Such as `http://127.0.0.1:7070`. */
  readonly url: string
  /** Default: none, for a server without keys. */
  readonly key?: string | null | undefined
  /** Default: the tenant of the key; without one, `default`. */
  readonly tenant?: string | null | undefined
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * Longest time of a call, with all of its tries. Default: 240,000, as a search by a model with tools takes up to 180
   * s.
   */
  readonly timeoutMs?: number | undefined
}

interface PostOptions extends CallOptions {
  /** The request may be sent again: a repetition changes nothing. */
  readonly repeatable?: boolean
}

interface FeedReadOptions extends CallOptions {
  /** `endless`: until there is a reply, regardless of the timeout of a call. Default: `few`. */
  readonly retries?: 'few' | 'endless'
}

export type Query = { readonly [name: string]: string | number | readonly string[] | undefined }

interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly query?: Query
  readonly body?: string
  readonly retries: 'none' | 'few' | 'endless'
  readonly signal?: AbortSignal | undefined
}

export interface FeedChunk {
  readonly events: readonly FeedEvent[]
  /** The offset after the events. */
  readonly next: string
  readonly isUpToDate: boolean
  /** To be sent with the next live read, so that no cache repeats a reply. */
  readonly cursor: string | undefined
}

interface Reply {
  /** Null: the reply has no content. */
  readonly json: unknown
  readonly headers: Headers
}

const defaultTimeoutMs = 240_000
const fewRetries = 3
/** Longest time of one of endless tries. The server answers a live read after 20 s. */
const endlessTryMs = 60_000
/** The server, or a proxy before it, is busy or away for now. */
const passingStatuses: readonly number[] = [429, 502, 503, 504]
/** Items of a page, the most that a server allows. */
const pageItems = 500
/** Characters of another program's reply that an error shows. */
const mostShown = 200

/** A path whose values are percent-encoded. A URL has no segment `.` or `..`. @throws LoomlogError `not-found` */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  const dots = values.find((value) => value === '.' || value === '..')
  if (dots !== undefined) throw new LoomlogError('not-found', `there is nothing named ${dots}`)
  return parts.map((part, at) => part + encodeURIComponent(values[at] ?? '')).join('')
}

export class LoomlogClient {
  readonly #address: ServerAddress
  readonly #base: URL
  readonly #headers: { readonly [name: string]: string }
  readonly #fetch: typeof globalThis.fetch
  readonly #timeoutMs: number

  /** @throws LoomlogError `input-invalid` where the address is no URL of HTTP */
  constructor(address: ServerAddress) {
    refuseUnknownFields(address, optionFields.connect)
    const { url, key = null, tenant = null, fetch, timeoutMs = defaultTimeoutMs } = address
    const base = URL.canParse(url) ? new URL(url) : null
    if (base === null || !/^https?:$/.test(base.protocol))
      throw new LoomlogError('input-invalid', `the URL is ${url}: expected one such as http://127.0.0.1:7070`)
    if (!(timeoutMs > 0)) throw invalidInput('timeoutMs', timeoutMs, 'a number above 0')
    if (base.username !== '' || base.password !== '')
      throw new LoomlogError('input-invalid', 'the URL has a user name or a password: expected none, and `key` instead')
    if (key !== null && !/^[\x21-\x7e]+$/.test(key))
      throw new LoomlogError('input-invalid', 'the key has a character that no header holds: expected printable ASCII')
    this.#address = address
    this.#base = base
    // A browser's fetch refuses to be called as a method of another object.
    this.#fetch = (input, init) => (fetch ?? globalThis.fetch)(input, init)
    this.#timeoutMs = timeoutMs
    this.#headers = {
      ...(tenant !== null && { 'x-loomlog-tenant': encodeURIComponent(tenant) }),
      ...(key !== null && { authorization: `Bearer ${key}` }),
    }
  }

  /** A client of the same server, for another tenant. */
  inTenant(tenant: string): LoomlogClient {
    return new LoomlogClient({ ...this.#address, tenant })
  }

  /** @throws LoomlogError */
  async get<T>(path: string, query: Query = {}, { signal }: CallOptions = {}): Promise<T> {
    return (await this.#reply(path, { method: 'GET', query, retries: 'few', signal })).json as T
  }

  /**
   * Every item of a list, page by page, and the other fields of the first page.
   * @param field has the items
   * @throws LoomlogError
   */
  async list<Item, Others = unknown>(
    path: string,
    field: string,
  ): Promise<Others & { readonly items: readonly Item[] }> {
    type Page = Others & { readonly next: string | null; readonly [field: string]: unknown }
    const first = await this.get<Page>(path, { limit: pageItems })
    const items = [...(first[field] as readonly Item[])]
    for (let { next } = first; next !== null; ) {
      const page = await this.get<Page>(path, { limit: pageItems, cursor: next })
      items.push(...(page[field] as readonly Item[]))
      next = page.next
    }
    return { ...first, items }
  }

  /** @param body is sent as JSON @throws LoomlogError, or the reason of the signal */
  async post<T>(path: string, body: unknown = {}, query: Query = {}, options: PostOptions = {}): Promise<T> {
    const { repeatable = false, signal } = options
    const retries = repeatable ? 'few' : 'none'
    return (await this.#reply(path, { method: 'POST', query, body: JSON.stringify(body), retries, signal })).json as T
  }

  /** @throws LoomlogError */
  async delete<T>(path: string, { signal }: CallOptions = {}): Promise<T> {
    return (await this.#reply(path, { method: 'DELETE', retries: 'none', signal })).json as T
  }

  /**
   * Messages of a feed from an offset on, and the offset after them. Waits for a while if there is none yet.
   * @throws LoomlogError, or the reason of the signal
   */
  async feed(path: string, query: Query, { retries = 'few', signal }: FeedReadOptions = {}): Promise<FeedChunk> {
    const { json, headers } = await this.#reply(path, { method: 'GET', query, retries, signal })
    const next = headers.get('stream-next-offset')
    if (next === null)
      throw new LoomlogError('input-invalid', `${this.#base.origin}${path} is no feed: no header Stream-Next-Offset`)
    return {
      events: (json ?? []) as readonly FeedEvent[],
      next,
      isUpToDate: headers.get('stream-up-to-date') === 'true',
      cursor: headers.get('stream-cursor') ?? undefined,
    }
  }

  async #reply(path: string, request: ClientRequest): Promise<Reply> {
    const { query = {}, retries, signal } = request
    const url = new URL(this.#base.pathname.replace(/\/$/, '') + path, this.#base)
    for (const [name, value] of Object.entries(query)) {
      for (const each of [value ?? []].flat()) url.searchParams.append(name, String(each))
    }
    return withRetries(this.#limitsOf(retries), signal, (leftMs) => {
      const timeoutMs = retries === 'endless' ? endlessTryMs : leftMs
      return this.#attempt(url, request, timeoutMs)
    })
  }

  #limitsOf(retries: ClientRequest['retries']): TryLimits {
    if (retries === 'endless') return { mostRetries: Number.POSITIVE_INFINITY, timeoutMs: Number.POSITIVE_INFINITY }
    return { mostRetries: retries === 'none' ? 0 : fewRetries, timeoutMs: this.#timeoutMs }
  }

  async #attempt(url: URL, { method, body, signal }: ClientRequest, timeoutMs: number): Promise<Attempt<Reply>> {
    const headers = { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const timeout = () => new Error(`no reply within ${Math.ceil(timeoutMs / 1000)} s`)
    try {
      return await withTimeLimit({ timeoutMs, signal, timeout }, async (signal) => {
        const reply = await this.#fetch(url, { method, headers, signal, ...(body !== undefined && { body }) })
        return attemptOf(url, reply, await reply.text())
      })
    } catch (cause) {
      signal?.throwIfAborted()
      return { error: unreachable(url.origin, cause as Error), mayPass: true, retryAfter: null }
    }
  }
}

function attemptOf(url: URL, response: Response, text: string): Attempt<Reply> {
  try {
    return { value: replyOf(url, response, text) }
  } catch (error) {
    const mayPass = passingStatuses.includes(response.status)
    return { error, mayPass, retryAfter: response.headers.get('retry-after') }
  }
}

/**
 * @throws LoomlogError the server's problem; where the text isn't that of a loomlog server, `server-unavailable` with a
 * status of 5xx, as of a proxy whose server is away, else `input-invalid`
 */
function replyOf(url: URL, { status, ok, headers }: Response, text: string): Reply {
  const json = status === 204 ? null : parsed(text)
  if (ok && json !== undefined) return { json, headers }
  const { type = '', detail, errors } = ok ? {} : problemIn(json)
  if (detail === undefined) {
    const answer = `it answers ${status} ${text.slice(0, mostShown)}`
    if (status >= 500) throw new LoomlogError('server-unavailable', `no loomlog server at ${url.origin}: ${answer}`)
    throw new LoomlogError('input-invalid', `${url} is no address of loomlog: ${answer}`)
  }
  const code = type.replace('urn:loomlog:problem:', '')
  throw new LoomlogError(isErrorCode(code) ? code : codeOf(status), detail, errors === undefined ? {} : { errors })
}

/** Nothing answers, or the reply breaks off. */
function unreachable(origin: string, cause: Error): LoomlogError {
  const { code } = (cause.cause ?? {}) as { readonly code?: string }
  const why = code ?? cause.message
  return new LoomlogError('server-unavailable', `no loomlog server answers at ${origin} (${why})`, { cause })
}

/** The code of a problem whose `type` is unknown here. */
function codeOf(status: number): ErrorCode {
  if (status === 410) return 'log-replaced'
  return status >= 500 ? 'server-unavailable' : 'input-invalid'
}

interface Problem {
  readonly type?: string
  readonly detail?: string
  readonly errors?: readonly Fault[]
}

function problemIn(json: unknown): Problem {
  return json !== null && typeof json === 'object' ? json : {}
}

/** Undefined: the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
