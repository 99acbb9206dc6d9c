/** Errors as RFC 9457 problem details. The cause of an internal error is logged, and never shown to the caller. */
import { STATUS_CODES } from 'node:http'
import { type ErrorCode, isLoomlogError } from '@loomlog/errors'
import { isOutOfFiles, outOfFiles } from '@loomlog/errors/out-of-files'

/** One fault of a request and its place: a JSON pointer into the body. */
export interface Fault {
  readonly pointer: string
  readonly detail: string
}

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors?: readonly Fault[]
}

const statusOf: { readonly [code in ErrorCode]?: number } = {
  'input-invalid': 400,
  'kind-not-handled': 400,
  unauthenticated: 401,
  'not-allowed': 403,
  'not-found': 404,
  'id-conflict': 409,
  'generation-refused': 409,
  'not-caught-up': 409,
  'group-in-use': 409,
  'embedder-mismatch': 409,
  'config-invalid': 409,
  'record-too-large': 413,
  'rate-limited': 429,
  'identity-unavailable': 503,
  'model-unavailable': 503,
  'log-unavailable': 503,
  'log-unauthorized': 503,
  'index-unavailable': 503,
  'view-corrupt': 503,
  'view-unavailable': 503,
  'views-behind': 503,
  overloaded: 503,
  'out-of-files': 503,
  'log-full': 507,
}

/**
 * The message names topics and the principal of the cluster, for the operator alone: the server's log and /readyz have
 * it.
 */
const unauthorizedDetail = 'the server may not use its log; its operator sees why in its log'

/** A refused body, with all of its faults. */
export class FaultyBody extends Error {
  readonly code: ErrorCode
  readonly faults: readonly Fault[]

  constructor(code: ErrorCode, faults: readonly Fault[]) {
    super(faults.map((fault) => fault.detail).join('; '))
    this.code = code
    this.faults = faults
  }
}

/** A request that HTTP itself refuses, with a status of 4xx. */
export class RefusedRequest extends Error {
  readonly statusCode: number

  constructor(statusCode: number, detail: string) {
    super(detail)
    this.statusCode = statusCode
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof FaultyBody) return { ...problemWithCode(error.code, error.message), errors: error.faults }
  if (isLoomlogError(error, 'log-unauthorized')) return problemWithCode(error.code, unauthorizedDetail)
  if (isLoomlogError(error)) return problemWithCode(error.code, error.message)
  if (isOutOfFiles(error)) return problemOf(outOfFiles('to answer', error))
  const status = (error as { readonly statusCode?: unknown }).statusCode
  if (typeof status === 'number' && status >= 400 && status < 500)
    return problemWithStatus(status, (error as Error).message)
  return problemWithStatus(500, 'see the log of the server')
}

/** A problem without a code: its status names it. */
export function problemWithStatus(status: number, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail }
}

function problemWithCode(code: ErrorCode, detail: string): Problem {
  const status = statusOf[code] ?? 500
  return { type: `urn:loomlog:problem:${code}`, title: code.replaceAll('-', ' '), status, detail }
}
