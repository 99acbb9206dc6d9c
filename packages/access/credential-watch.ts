/**
 * Tells requests that last when their credential ends: the key is revoked or expires, the token expires, or the server
 * needs a key from now on.
 */
import { AccessRefused } from './access-refused.ts'
import type { Credential, WatchCredential } from './caller.ts'
import { type AccessKeys, endOfKey, stateOfKey } from './keys.ts'

/** The keys of the log, kept up to date. */
export interface WatchedKeys {
  readonly current: AccessKeys
  onChange(listener: () => void): void
}

interface CredentialState {
  /** Why the credential has ended; null: it is valid. */
  readonly reason: string | null
  /** When it will end by itself; null: never. */
  readonly endsAt: number | null
}

/** The longest delay of a timer. */
const longestTimerMs = 2 ** 31 - 1

/** @param needsKey whether a caller without a credential is refused now */
export function credentialWatch(keys: WatchedKeys, needsKey: () => boolean): WatchCredential {
  const checks = new Set<() => void>()
  // A check may remove itself.
  keys.onChange(() => {
    for (const check of [...checks]) check()
  })
  const stateOf = (credential: Credential): CredentialState => {
    switch (credential.kind) {
      case 'none':
        return { reason: needsKey() ? 'a key is needed from now on' : null, endsAt: null }
      case 'key':
        return stateIn(keys.current, credential.id)
      case 'token': {
        const { expiresAt } = credential
        return { reason: Date.now() < expiresAt ? null : 'the token has expired', endsAt: expiresAt }
      }
    }
  }
  return ({ credential }, onEnd) => {
    let timer: NodeJS.Timeout | undefined
    const stop = () => {
      clearTimeout(timer)
      checks.delete(check)
    }
    const check = () => {
      clearTimeout(timer)
      const { reason, endsAt } = stateOf(credential)
      if (reason !== null) {
        stop()
        onEnd(new AccessRefused('unauthenticated', reason, 'invalid_token'))
      } else if (endsAt !== null) {
        timer = setTimeout(check, Math.min(endsAt - Date.now(), longestTimerMs))
      }
    }
    checks.add(check)
    check()
    return stop
  }
}

function stateIn(keys: AccessKeys, id: string): CredentialState {
  const key = keys.get(id)
  if (key === undefined) return { reason: 'the key is unknown', endsAt: null }
  const state = stateOfKey(key, Date.now())
  const reasons = { valid: null, expired: 'the key has expired', revoked: 'the key is revoked' }
  return { reason: reasons[state], endsAt: endOfKey(key) }
}
