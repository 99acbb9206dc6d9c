/**
 * A client of loomlog's HTTP API. A reply is trusted to have the form that docs/api.md gives it; a problem becomes a LoomlogError with its
 * code. It sends a request once: the caller decides whether an error that is `retryable` is tried again.
 */
import { isErrorCode, LoomlogError } from '@loomlog/errors'

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

/** Longest wait for a reply. A search by a model with tools takes up to 180 s. */
const timeoutMs = 240_000
/** Bytes of a problem that are read. */
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
    return (await this.#reply(path, { method: 'GET', query })).json() as Promise<T>
  }

  /** @param body is sent as JSON @throws LoomlogError */
  async post<T>(path: string, body: unknown = {}, query: Query = {}): Promise<T> {
    const request = { method: 'POST', query, body: JSON.stringify(body), type: 'application/json' } as const
    return (await this.#reply(path, request)).json() as Promise<T>
  }

  /** @throws LoomlogError */
  async delete<T>(path: string): Promise<T> {
    return (await this.#reply(path, { method: 'DELETE' })).json() as Promise<T>
  }

  /** Messages of a feed from an offset on, and the offset after them. Waits for a while if there is none yet. @throws LoomlogError */
  async feed(path: string, query: Query): Promise<{ readonly events: readonly object[]; readonly next: string }> {
    const reply = await this.#reply(path, { method: 'GET', query })
    const events = reply.status === 204 ? [] : ((await reply.json()) as readonly object[])
    return { events, next: reply.headers.get('stream-next-offset') ?? '-1' }
  }

  async #reply(path: string, { method, query = {}, body, type }: ClientRequest): Promise<Response> {
    const url = new URL(this.#base.pathname.replace(/\/$/, '') + path, this.#base)
    for (const [name, value] of Object.entries(query)) {
      for (const each of [value ?? []].flat()) url.searchParams.append(name, String(each))
    }
    const headers = { ...this.#headers, ...(type !== undefined && { 'content-type': type }) }
    const signal = AbortSignal.timeout(timeoutMs)
    const reply = await fetch(url, { method, headers, signal, ...(body !== undefined && { body }) }).catch((cause) => {
      throw unreachable(url.origin, cause)
    })
    if (reply.ok && /^(application\/json|text\/)/.test(reply.headers.get('content-type') ?? 'application/json'))
      return reply
    throw await problemOf(reply, url)
  }
}

function unreachable(origin: string, cause: Error & { readonly cause?: { readonly code?: string } }): LoomlogError {
  const why = cause.cause?.code ?? cause.message
  return new LoomlogError(
    'server-unavailable',
    `no loomlog server answers at ${origin} (${why}): loomlog up starts one; --url or LOOMLOG_URL names another`,
    { cause },
  )
}

async function problemOf(reply: Response, url: URL): Promise<LoomlogError> {
  const text = await reply.text()
  const { type = '', detail, errors } = problemIn(text)
  if (detail === undefined) {
    const shown = text.slice(0, mostShown)
    return new LoomlogError('input-invalid', `${url} is no address of loomlog: it answers ${reply.status} ${shown}`)
  }
  const code = type.replace('urn:loomlog:problem:', '')
  const faults = errors?.map(({ pointer, detail: fault }) => `${pointer} ${fault}`.trim()).join('; ')
  return new LoomlogError(isErrorCode(code) ? code : codeOf(reply.status), faults ?? detail)
}

/** Of a problem that its status names. */
function codeOf(status: number): 'server-unavailable' | 'input-invalid' {
  return status >= 500 ? 'server-unavailable' : 'input-invalid'
}

interface Problem {
  readonly type?: string
  readonly detail?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

function problemIn(text: string): Problem {
  try {
    const problem: unknown = JSON.parse(text)
    return problem !== null && typeof problem === 'object' ? problem : {}
  } catch {
    return {}
  }
}
