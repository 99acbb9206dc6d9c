/**
 * Tells from the error of a call how far it came. Endpoints bill neither a request that never reached them nor one that
 * they refused. After a timeout, an abort or a reply that ends midway, the work may be done and billed.
 */
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'

/** Error codes of closed sockets: Node's, and undici's (Node's `fetch`). */
const closedSocketCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
/** An idle socket fails within this time. A socket that is lost later was open: the endpoint may have done the work. */
const idleCloseMs = 1_000
/** A timeout in the endpoint, and one in a proxy before it. */
const timeoutStatuses: ReadonlySet<unknown> = new Set([408, 504])

/** Whether the endpoint closed the socket before it took the request. */
export function isIdleClose(error: unknown, elapsedMs: number): boolean {
  return isLostSocket(error) && elapsedMs <= idleCloseMs
}

/** Whether the endpoint bills nothing for the call. */
export function isUnbilled(error: unknown, elapsedMs: number): boolean {
  if (!(error instanceof APIError) || error instanceof APIUserAbortError) return false
  if (error instanceof APIConnectionTimeoutError) return false
  if (error instanceof APIConnectionError) return !isLostSocket(error) || isIdleClose(error, elapsedMs)
  return !timeoutStatuses.has(error.status)
}

export function rootCause(error: Error): Error {
  return error.cause instanceof Error ? rootCause(error.cause) : error
}

/**
 * Other connection errors come before the request is sent: an unknown host, a refused connection, a bad certificate.
 */
function isLostSocket(error: unknown): boolean {
  if (!(error instanceof APIConnectionError)) return false
  const root = rootCause(error)
  return 'code' in root && closedSocketCodes.has(root.code)
}
