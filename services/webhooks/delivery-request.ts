/**
 * Posts one event to a receiver, signed by Standard Webhooks. The status is the outcome: 2xx is accepted, 410 is gone,
 * any other fails. A redirect is not followed, so it fails too. A connection is opened only to an address that the rule
 * permits: the rule checks the result of the name resolution.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import type { AddressRule, Protocol } from '@loomlog/feed/address-rule'
import { signatureOf } from '@loomlog/feed/webhook-secret'
import type { WebhookLimits } from './webhook-limits.ts'

export interface Delivery {
  readonly url: string
  readonly secret: string
  /** The id of the event. */
  readonly id: string
  /** The CloudEvent as JSON. */
  readonly body: string
  /** In ms since the epoch. */
  readonly at: number
  /** Of the attempt's span. */
  readonly traceparent?: string
}

export type DeliveryOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null }

export type Resolve = (name: string, done: (error: Error | null, addresses: readonly LookupAddress[]) => void) => void

export interface DeliveryRequestOptions {
  readonly rule: AddressRule
  readonly limits: Pick<WebhookLimits, 'timeoutMs' | 'answerBytes' | 'idleSockets'>
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve
}

const excerptChars = 200

const bySystem: Resolve = (name, done) => systemLookup(name, { all: true }, done)

export class DeliveryRequests {
  readonly #options: DeliveryRequestOptions
  readonly #agents: { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent }

  constructor(options: DeliveryRequestOptions) {
    this.#options = options
    const settings = { keepAlive: true, timeout: options.limits.timeoutMs }
    const { idleSockets } = options.limits
    this.#agents = {
      'http:': boundedIdle(new HttpAgent(settings), idleSockets),
      'https:': boundedIdle(new HttpsAgent(settings), idleSockets),
    }
  }

  /** @throws the signal's reason; then the outcome is unknown */
  async post(delivery: Delivery, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { timeoutMs } = this.#options.limits
    const late = AbortSignal.timeout(timeoutMs)
    try {
      const response = await this.#send(delivery, AbortSignal.any([signal, late]))
      return outcomeOf(response, await this.#excerpt(response), delivery.at)
    } catch (error) {
      signal.throwIfAborted()
      const reason = late.aborted ? `no answer within ${timeoutMs} ms` : (error as Error).message || String(error)
      return { kind: 'failed', reason, retryAfterMs: null }
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  #send({ url, secret, id, body, at, traceparent }: Delivery, signal: AbortSignal): Promise<IncomingMessage> {
    const target = new URL(url)
    const protocol = target.protocol as Protocol
    const { hostname } = target
    // Node looks up names only, so `#lookup` would not check an address.
    if (!this.#options.rule.permitsHost(hostname, protocol)) throw refusedAddress(hostname)
    const timestampS = Math.floor(at / 1_000)
    const headers = {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'loomlog',
      'webhook-id': id,
      'webhook-timestamp': timestampS,
      'webhook-signature': signatureOf(secret, id, timestampS, body),
      ...(traceparent !== undefined && { traceparent }),
    }
    const send = protocol === 'https:' ? httpsRequest : httpRequest
    const options = { method: 'POST', headers, agent: this.#agents[protocol], lookup: this.#lookup(protocol), signal }
    return new Promise((resolve, reject) => {
      const request = send(target, options, resolve)
      request.on('error', reject)
      // Node ends some requests with neither a response nor an error: one is answered by 101.
      request.on('close', () => reject(new Error('the connection ended without an answer')))
      request.end(body)
    })
  }

  #lookup(protocol: Protocol): LookupFunction {
    const { rule, resolve = bySystem } = this.#options
    return (name, options, done) => {
      resolve(name, (error, addresses) => {
        if (error) return done(error, '', 0)
        const permitted = addresses.filter(({ address }) => rule.permits(address, protocol))
        const [first] = permitted
        if (first === undefined) return done(refusedAddress(addresses.map(({ address }) => address).join(', ')), '', 0)
        if (options.all) return done(null, permitted)
        done(null, first.address, first.family)
      })
    }
  }

  /** The beginning of the body. The rest is not read. */
  async #excerpt(response: IncomingMessage): Promise<string> {
    const parts: Buffer[] = []
    let bytes = 0
    try {
      for await (const part of response) {
        bytes += (part as Buffer).length
        if (bytes > this.#options.limits.answerBytes) break
        parts.push(part as Buffer)
      }
    } catch {
      // The status is known, and it alone is the outcome.
    }
    return Buffer.concat(parts).toString('utf8').slice(0, excerptChars).replace(/\s+/g, ' ').toWellFormed().trim()
  }
}

/** Limits the idle connections of an agent, over all receivers. */
function boundedIdle<A extends HttpAgent>(agent: A, idleSockets: number): A {
  const hooks = agent as unknown as { keepSocketAlive(socket: Socket): boolean }
  const keepSocketAlive = hooks.keepSocketAlive.bind(agent)
  hooks.keepSocketAlive = (socket) => {
    const idle = Object.values(agent.freeSockets).reduce((count, sockets) => count + (sockets?.length ?? 0), 0)
    return idle < idleSockets && keepSocketAlive(socket)
  }
  return agent
}

function outcomeOf({ statusCode = 0, headers }: IncomingMessage, excerpt: string, nowMs: number): DeliveryOutcome {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'accepted' }
  const isRedirect = statusCode >= 300 && statusCode < 400
  const text = isRedirect ? 'redirects are not followed' : excerpt
  const reason = `the receiver answers ${statusCode}${text === '' ? '' : `: ${text}`}`
  if (statusCode === 410) return { kind: 'gone', reason }
  return { kind: 'failed', reason, retryAfterMs: retryAfterMs(headers['retry-after'], nowMs) }
}

/** The header has seconds or a date. */
function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

function refusedAddress(addresses: string): Error {
  return new Error(`${addresses} is no public address: LOOMLOG_WEBHOOK_NETWORKS allows networks, also for plain http`)
}
