/**
 * A client of loomlog's HTTP API. A reply is trusted to have the form that docs/api.md gives it; a problem becomes a
 * LoomlogError with its code. It sends a request once: the caller decides whether an error that is `retryable` is tried
 * again.
 */
import { isErrorCode, isLoomlogError, LoomlogError } from '@loomlog/errors'

export interface ServerAddress {
  /** Such as `http://127.0.0.1:7070`. */
  readonly url: string
  /** Null: the server has no keys. */
  readonly key: string | null
  /** Null: the tenant of the key; without one, `default`. */
  readonly tenant: string | null
}

export type Query = { readonly [name: string]: string | number | readonly string[] | undefined }

interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly query?: Query
  readonly body?: string
  readonly type?: string
}

interface Reply {
  /** Null: the reply has no content. */
  readonly json: unknown
  readonly headers: Headers
}

/** Longest wait for a reply. A search by a model with tools takes up to 180 s. */
const timeoutMs = 240_000
/** Items of a page, the most that a server allows. */
const pageItems = 500
/** Characters of another program's reply that an error shows. */
const mostShown = 200

/** A path whose values are percent-encoded. */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.map((part, at) => part + encodeURIComponent(values[at] ?? '')).join('')
}

export class LoomlogClient {
  readonly #base: URL
  readonly #headers: { readonly [name: string]: string }

  /** @throws LoomlogError `input-invalid` where the address is no URL of HTTP */
  constructor({ url, key, tenant }: ServerAddress) {
    const base = URL.canParse(url) ? new URL(url) : null
    if (base === null || !/^https?:$/.test(base.protocol))
      throw new LoomlogError('input-invalid', `the URL is ${url}: expected one such as http://127.0.0.1:7070`)
    this.#base = base
    this.#headers = {
      ...(tenant !== null && { 'x-loomlog-tenant': encodeURIComponent(tenant) }),
      ...(key !== null && { authorization: `Bearer ${key}` }),
    }
  }

  /** @throws LoomlogError */
  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.#reply(path, { method: 'GET', query })).json as T
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

  /** @param body is sent as JSON @throws LoomlogError */
  async post<T>(path: string, body: unknown = {}, query: Query = {}): Promise<T> {
    const request = { method: 'POST', query, body: JSON.stringify(body), type: 'application/json' } as const
    return (await this.#reply(path, request)).json as T
  }

  /** @throws LoomlogError */
  async delete<T>(path: string): Promise<T> {
    return (await this.#reply(path, { method: 'DELETE' })).json as T
  }

  /**
   * Messages of a feed from an offset on, and the offset after them. Waits for a while if there is none yet.
   * @throws LoomlogError
   */
  async feed(path: string, query: Query): Promise<{ readonly events: readonly object[]; readonly next: string }> {
    const { json, headers } = await this.#reply(path, { method: 'GET', query })
    return { events: (json ?? []) as readonly object[], next: headers.get('stream-next-offset') ?? '-1' }
  }

  async #reply(path: string, { method, query = {}, body, type }: ClientRequest): Promise<Reply> {
    const url = new URL(this.#base.pathname.replace(/\/$/, '') + path, this.#base)
    for (const [name, value] of Object.entries(query)) {
      for (const each of [value ?? []].flat()) url.searchParams.append(name, String(each))
    }
    const headers = { ...this.#headers, ...(type !== undefined && { 'content-type': type }) }
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const reply = await fetch(url, { method, headers, signal, ...(body !== undefined && { body }) })
      return replyOf(url, reply, await reply.text())
    } catch (cause) {
      throw isLoomlogError(cause) ? cause : unreachable(url.origin, cause as Error)
    }
  }
}

/** @throws LoomlogError the server's problem; `input-invalid` where the text isn't that of a loomlog server */
function replyOf(url: URL, { status, ok, headers }: Response, text: string): Reply {
  const json = status === 204 ? null : parsed(text)
  if (ok && json !== undefined) return { json, headers }
  const { type = '', detail, errors } = ok ? {} : problemIn(json)
  if (detail === undefined) {
    const shown = text.slice(0, mostShown)
    throw new LoomlogError('input-invalid', `${url} is no address of loomlog: it answers ${status} ${shown}`)
  }
  const code = type.replace('urn:loomlog:problem:', '')
  const faults = errors?.map(({ pointer, detail: fault }) => `${pointer} ${fault}`.trim()).join('; ')
  throw new LoomlogError(isErrorCode(code) ? code : codeOf(status), faults ?? detail)
}

/** Nothing answers, or the reply breaks off. */
function unreachable(origin: string, cause: Error): LoomlogError {
  const { code } = (cause.cause ?? {}) as { readonly code?: string }
  const why = code ?? cause.message
  return new LoomlogError(
    'server-unavailable',
    `no loomlog server answers at ${origin} (${why}): loomlog up starts one; --url or LOOMLOG_URL names another`,
    { cause },
  )
}

/** The code of a problem whose `type` is unknown here. */
function codeOf(status: number): 'server-unavailable' | 'input-invalid' {
  return status >= 500 ? 'server-unavailable' : 'input-invalid'
}

interface Problem {
  readonly type?: string
  readonly detail?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
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
