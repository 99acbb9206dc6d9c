/**
 * The API keys of a log: a pure fold over the topic `keys`. A revoked key stays in it, and never becomes valid again.
 */
import type { KeyCreated, LogEvent } from '@loomlog/schemas/events'
import { isEvent } from '@loomlog/schemas/events'
import type { Caller } from './caller.ts'
import { keyId, matchesDigest } from './key-text.ts'
import { isScope } from './scopes.ts'

export interface AccessKey extends Omit<KeyCreated, 'type'> {
  /** Null: it is valid. */
  readonly revokedAt: number | null
}

/** By id, in the order of creation. */
export type AccessKeys = ReadonlyMap<string, AccessKey>

export const noKeys: AccessKeys = new Map()

export function applyKeyEvent(keys: AccessKeys, event: LogEvent): AccessKeys {
  if (isEvent('KeyCreated', event)) {
    const { type: _, ...key } = event
    return keys.has(key.id) ? keys : new Map(keys).set(key.id, { ...key, revokedAt: null })
  }
  if (!isEvent('KeyRevoked', event)) return keys
  const key = keys.get(event.id)
  if (key === undefined || key.revokedAt !== null) return keys
  return new Map(keys).set(key.id, { ...key, revokedAt: event.at })
}

/** Null: the text is no valid key. */
export function callerOfKey(text: string, keys: AccessKeys): Caller | null {
  const key = keys.get(keyId(text) ?? '')
  if (key === undefined || !matchesDigest(text, key.digest) || key.revokedAt !== null) return null
  return {
    name: `key:${key.id}`,
    tenant: key.tenant,
    scopes: new Set(key.scopes.filter(isScope)),
    spaces: key.spaces === null ? null : new Set(key.spaces),
    credential: { kind: 'key', id: key.id },
  }
}
