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

export class LoomlogError extends Error {
  readonly code: ErrorCode
  readonly retryable: boolean

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'LoomlogError'
    this.code = code
    this.retryable = codes[code]
  }
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(codes, text)
}

export function isLoomlogError(error: unknown, code?: ErrorCode): error is LoomlogError {
  return error instanceof LoomlogError && (code === undefined || error.code === code)
}
