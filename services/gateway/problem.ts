/** Errors as RFC 9457 problem details. The cause of an internal error is logged, and never shown to the caller. */
import { STATUS_CODES } from 'node:http'
import { type ErrorCode, type Fault, isLoomlogError, LoomlogError, type Problem } from '@loomlog/errors'
import { isOutOfFiles, outOfFiles } from '@loomlog/errors/out-of-files'

/**
 * The message names topics and the principal of the cluster, for the operator alone: the server's log and /readyz have
 * it.
 */
const unauthorizedDetail = 'the server may not use its log; its operator sees why in its log'

/** The refusal of a body, with all of its faults. */
export function faultyBody(code: ErrorCode, errors: readonly Fault[]): LoomlogError {
  return new LoomlogError(code, errors.map((fault) => fault.detail).join('; '), { errors })
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
  if (isLoomlogError(error, 'log-unauthorized')) return new LoomlogError(error.code, unauthorizedDetail).toJSON()
  if (isLoomlogError(error)) return error.toJSON()
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
