/**
 * Finds the caller of a request by its API key or its OIDC token. Without keys in the log and without an issuer every
 * caller may do everything, so such a server must listen on loopback only. From the first key on every request needs a
 * key, even after the last key is revoked.
 */
import { LoomlogError } from '@loomlog/errors'
import { AccessRefused } from './access-refused.ts'
import type { AuditRecorder } from './audit-recorder.ts'
import { type Access, type Caller, localCaller, type WatchCredential } from './caller.ts'
import type { CallerLimits } from './caller-limits.ts'
import { credentialWatch, type WatchedKeys } from './credential-watch.ts'
import type { KeyUses } from './key-uses.ts'
import { callerOfKey, keyOfText, stateOfKey } from './keys.ts'
import type { OidcTokens } from './oidc.ts'

export interface KeysOfLog extends WatchedKeys {
  /** True if the topic `keys` can no longer be read: a revoked key could look valid. */
  readonly hasFailed: boolean
}

export interface ServerAccessOptions {
  readonly keys: KeysOfLog
  /** Null: no tokens are accepted. */
  readonly tokens: OidcTokens | null
  readonly limits: CallerLimits
  readonly audit: AuditRecorder
  readonly uses: Pick<KeyUses, 'note'>
}

export class ServerAccess implements Access {
  readonly #keys: KeysOfLog
  readonly #tokens: OidcTokens | null
  readonly #uses: Pick<KeyUses, 'note'>

  readonly limits: CallerLimits
  readonly audit: AuditRecorder
  readonly watch: WatchCredential

  constructor({ keys, tokens, limits, audit, uses }: ServerAccessOptions) {
    this.#keys = keys
    this.#tokens = tokens
    this.#uses = uses
    this.limits = limits
    this.audit = audit
    this.watch = credentialWatch(keys, () => !this.isOpen)
  }

  get isOpen(): boolean {
    return this.#keys.current.size === 0 && this.#tokens === null
  }

  async authenticate(authorization: string | undefined): Promise<Caller> {
    if (this.#keys.hasFailed)
      throw new LoomlogError('log-unavailable', "the keys can't be read: see the log of the server")
    if (authorization === undefined) {
      if (this.isOpen) return localCaller
      throw new AccessRefused('unauthenticated', 'there is no key: send one as Authorization: Bearer KEY', null)
    }
    const [, token] = /^bearer +([\w.~+/=-]+)$/i.exec(authorization) ?? []
    if (token === undefined)
      throw new AccessRefused('unauthenticated', 'Authorization is not of the form: Bearer KEY', 'invalid_token')
    if (this.#tokens !== null && !token.startsWith('llk_')) return this.#tokens.callerOfToken(token)
    return this.#callerOfKey(token)
  }

  #callerOfKey(text: string): Caller {
    const key = keyOfText(text, this.#keys.current)
    const state = key === null ? 'unknown' : stateOfKey(key, Date.now())
    if (key === null || state !== 'valid') {
      const reason = state === 'expired' ? 'the key has expired' : 'the key is unknown or revoked'
      throw new AccessRefused('unauthenticated', reason, 'invalid_token')
    }
    this.#uses.note(key.id)
    return callerOfKey(key)
  }
}
