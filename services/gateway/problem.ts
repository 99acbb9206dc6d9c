/** Errors as RFC 9457 problem details. What went wrong inside is logged, and never told to the caller. */
import { type ErrorCode, isLoomlogError } from '@loomlog/errors'

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
}

const statusOf: { readonly [code in ErrorCode]?: number } = {
  'input-invalid': 400,
  'kind-not-handled': 400,
  'not-found': 404,
  'id-conflict': 409,
  'record-too-large': 413,
  'model-unavailable': 503,
  'log-unavailable': 503,
  'log-full': 507,
}

export function problemOf(error: unknown): Problem {
  if (isLoomlogError(error)) {
    const status = statusOf[error.code] ?? 500
    return { type: `urn:loomlog:problem:${error.code}`, title: error.code, status, detail: error.message }
  }
  const status = (error as { readonly statusCode?: unknown }).statusCode
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { type: 'about:blank', title: 'bad request', status, detail: (error as Error).message }
  }
  return { type: 'about:blank', title: 'internal error', status: 500, detail: 'see the log of the server' }
}
