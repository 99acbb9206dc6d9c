/**
 * The error type of all operating errors. The list of codes is closed, and each code says whether a retry may help.
 * Programmer errors are plain errors, and crash before they commit.
 */

/** By code: whether the same call may succeed later without a change of input or settings. */
const codes = {
  fenced: false,
  'topic-unknown': false,
  'topic-mismatch': false,
  'record-too-large': false,
  'group-in-use': true,
  'schema-refused': false,
  'schema-unknown': true,
  'log-full': true,
  'log-corrupt': false,
  'log-unavailable': true,
  'log-unauthorized': true,
  'log-replaced': false,
  'log-read-only': false,
  'key-unavailable': false,
  'index-unavailable': true,
  'input-invalid': false,
  'id-conflict': false,
  'kind-not-handled': false,
  'recipe-differs': false,
  'generation-refused': false,
  'not-caught-up': true,
  'model-unavailable': true,
  'model-refused': false,
  'embedder-mismatch': false,
  'view-corrupt': false,
  'view-unavailable': true,
  'views-behind': true,
  'not-found': false,
  unauthenticated: false,
  'not-allowed': false,
  'rate-limited': true,
  'identity-unavailable': true,
  overloaded: true,
  'server-unavailable': true,
  'out-of-files': true,
  'config-invalid': false,
} as const satisfies Record<string, boolean>

export type ErrorCode = keyof typeof codes

/** By code: the HTTP status of its problem, if not 500. */
const statuses: { readonly [code in ErrorCode]?: number } = {
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
  'key-unavailable': 503,
  'index-unavailable': 503,
  'view-corrupt': 503,
  'view-unavailable': 503,
  'views-behind': 503,
  overloaded: 503,
  'out-of-files': 503,
  'log-full': 507,
}

/** One fault of a request and its place: a JSON pointer into the body. */
export interface Fault {
  readonly pointer: string
  readonly detail: string
}

/** Problem details (RFC 9457). */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors?: readonly Fault[]
}

export interface ErrorDetails {
  readonly cause?: unknown
  readonly errors?: readonly Fault[]
}

const errorName = 'LoomlogError'

export class LoomlogError extends Error {
  readonly code: ErrorCode
  /** The HTTP status of the code. */
  readonly status: number
  readonly retryable: boolean
  /** The faults of a refused body. */
  declare readonly errors?: readonly Fault[]

  constructor(code: ErrorCode, message: string, { errors, ...options }: ErrorDetails = {}) {
    super(message, options)
    this.name = errorName
    this.code = code
    this.status = statuses[code] ?? 500
    this.retryable = codes[code]
    if (errors !== undefined) this.errors = errors
  }

  toJSON(): Problem {
    const { code, status, message: detail, errors } = this
    const problem = { type: `urn:loomlog:problem:${code}`, title: code.replaceAll('-', ' '), status, detail }
    return errors === undefined ? problem : { ...problem, errors }
  }
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(codes, text)
}

/** Decides by name and code: an error of another copy of the class, such as that of a second bundle, is one too. */
export function isLoomlogError(error: unknown, code?: ErrorCode): error is LoomlogError {
  if (typeof error !== 'object' || error === null) return false
  const { name, code: found } = error as { readonly name?: unknown; readonly code?: unknown }
  if (name !== errorName) return false
  return typeof found === 'string' && isErrorCode(found) && (code === undefined || found === code)
}
