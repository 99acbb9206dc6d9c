/**
 * The API keys of a log: a pure fold over the topic `keys`. A key that is revoked, replaced or expired stays in it, and
 * never becomes valid again. The time of an expiry is in the records, so every process ends a key at the same moment.
 */
import type { KeyCreated, LogEvent } from '@loomlog/schemas/events'
import { isEvent } from '@loomlog/schemas/events'
import type { Caller } from './caller.ts'
import { keyId, matchesDigest } from './key-text.ts'
import { isRole } from './roles.ts'
import { isScope } from './scopes.ts'

export interface AccessKey extends Omit<KeyCreated, 'type' | 'keyId' | 'replaces' | 'replacedExpiresAt'> {
  /** Null: it is not revoked. */
  readonly revokedAt: number | null
  /** The newest key that replaces this one, and the earliest end that a replacement gave it. */
  readonly replacement: { readonly id: string; readonly endsAt: number } | null
}

/** By id, in the order of creation. */
export type AccessKeys = ReadonlyMap<string, AccessKey>

export const noKeys: AccessKeys = new Map()

export function applyKeyEvent(keys: AccessKeys, event: LogEvent): AccessKeys {
  if (isEvent('KeyCreated', event)) return withKey(keys, event)
  if (!isEvent('KeyRevoked', event)) return keys
  const key = keys.get(event.id)
  if (key === undefined || key.revokedAt !== null) return keys
  return new Map(keys).set(key.id, { ...key, revokedAt: event.at })
}

function withKey(keys: AccessKeys, event: KeyCreated): AccessKeys {
  const { type: _, keyId: __, replaces, replacedExpiresAt, ...key } = event
  if (keys.has(key.id)) return keys
  const next = new Map(keys)
  const replaced = keys.get(replaces ?? '')
  if (replaced !== undefined && replacedExpiresAt !== null) {
    const endsAt = Math.min(replacedExpiresAt, replaced.replacement?.endsAt ?? Infinity)
    next.set(replaced.id, { ...replaced, replacement: { id: key.id, endsAt } })
  }
  return next.set(key.id, { ...key, revokedAt: null, replacement: null })
}

/** When the key expires, by itself or because it is replaced; null: never. */
export function endOfKey({ expiresAt, replacement }: Pick<AccessKey, 'expiresAt' | 'replacement'>): number | null {
  if (expiresAt === null || replacement === null) return expiresAt ?? replacement?.endsAt ?? null
  return Math.min(expiresAt, replacement.endsAt)
}

export type KeyState = 'valid' | 'expired' | 'revoked'

export function stateOfKey(key: AccessKey, now: number): KeyState {
  if (key.revokedAt !== null) return 'revoked'
  return now < (endOfKey(key) ?? Infinity) ? 'valid' : 'expired'
}

/** The key with this text, in any state. Null: there is none. */
export function keyOfText(text: string, keys: AccessKeys): AccessKey | null {
  const key = keys.get(keyId(text) ?? '')
  return key !== undefined && matchesDigest(text, key.digest) ? key : null
}

export function callerOfKey({ id, tenant, scopes, spaces, speakers, roles }: AccessKey): Caller {
  return {
    name: `key:${id}`,
    tenant,
    scopes: new Set(scopes.filter(isScope)),
    spaces: spaces === null ? null : new Set(spaces),
    authors: {
      speakers: speakers === null ? null : new Set(speakers),
      roles: roles === null ? null : new Set(roles.filter(isRole)),
    },
    credential: { kind: 'key', id },
  }
}
