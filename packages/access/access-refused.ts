/** The error of a request without a valid key, or without access. The reply carries its challenge (RFC 6750). */
import { LoomlogError } from '@loomlog/errors'

export class AccessRefused extends LoomlogError {
  /** The value of WWW-Authenticate. */
  readonly challenge: string

  constructor(
    code: 'unauthenticated' | 'not-allowed',
    message: string,
    fault: 'invalid_token' | 'insufficient_scope' | null,
  ) {
    super(code, message)
    this.challenge = fault === null ? 'Bearer realm="loomlog"' : `Bearer realm="loomlog", error="${fault}"`
  }
}
