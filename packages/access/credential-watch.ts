/**
 * Tells requests that last when their credential ends: the key is revoked, the token expires, or the server needs a key
 * from now on.
 */
import { AccessRefused } from './access-refused.ts'
import type { Credential, WatchCredential } from './caller.ts'
import type { AccessKeys } from './keys.ts'

/** The keys of the log, kept up to date. */
export interface WatchedKeys {
  readonly current: AccessKeys
  onChange(listener: () => void): void
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
  const endOf = (credential: Credential): string | null => {
    switch (credential.kind) {
      case 'none':
        return needsKey() ? 'a key is needed from now on' : null
      case 'key':
        return keys.current.get(credential.id)?.revokedAt === null ? null : 'the key is revoked'
      case 'token':
        return Date.now() < credential.expiresAt ? null : 'the token has expired'
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
      const reason = endOf(credential)
      if (reason !== null) {
        stop()
        onEnd(new AccessRefused('unauthenticated', reason, 'invalid_token'))
      } else if (credential.kind === 'token') {
        timer = setTimeout(check, Math.min(credential.expiresAt - Date.now(), longestTimerMs))
      }
    }
    checks.add(check)
    check()
    return stop
  }
}
