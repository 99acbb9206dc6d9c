/** A refusal for want of a valid key or of a scope, with the challenge of RFC 6750 that the reply carries. */
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
