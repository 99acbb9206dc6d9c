/**
 * Creates, lists, rotates and revokes API keys. They are records in the topic `keys`, so every process on the log has
 * the same keys.
 */
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { Log } from '@loomlog/log/port'
import { type FoldListener, TopicFold } from '@loomlog/runtime/topic-fold'
import type { Codec } from '@loomlog/schemas/codec'
import type { KeyCreated, KeyRevoked, Role } from '@loomlog/schemas/events'
import { expectedName, nameFrom } from '@loomlog/schemas/names'
import { newKey } from './key-text.ts'
import { type AccessKey, type AccessKeys, applyKeyEvent, endOfKey, noKeys } from './keys.ts'
import { isRole, roles } from './roles.ts'
import { type Scope, scopes } from './scopes.ts'

const topic = 'keys'

interface KeyLog {
  readonly log: Log
  readonly codec: Codec
}

export type KeyGrants = Pick<KeyCreated, 'tenant' | 'scopes' | 'spaces' | 'label' | 'speakers' | 'roles' | 'expiresAt'>

/** The grants that are asked of a key. */
export interface KeyRequest extends Pick<KeyCreated, 'tenant' | 'spaces' | 'label'> {
  readonly scopes: readonly Scope[]
  /** Default: any. */
  readonly speakers?: readonly string[] | null
  /** Default: any. */
  readonly roles?: readonly Role[] | null
  /** In ms since the epoch. Default: never. */
  readonly expiresAt?: number | null
}

/** A key, with its text. The text is not stored, so it can't be shown again. */
export interface CreatedKey {
  readonly id: string
  readonly text: string
}

export interface Rotation {
  /** How long the old key stays valid. */
  readonly overlapMs: number
  /** Null: never. Default: the new key is valid for as long as the old one was made for. */
  readonly expiresAt?: number | null
}

export interface RotatedKey extends CreatedKey {
  readonly expiresAt: number | null
  /** When the old key ends. */
  readonly replacedExpiresAt: number
}

/** The keys, kept up to date. */
export function followKeys(options: KeyLog & FoldListener): Promise<TopicFold<AccessKeys>> {
  return TopicFold.open<AccessKeys>({ ...options, topic, initial: noKeys, apply: applyKeyEvent })
}

export async function readKeys({ log, codec }: KeyLog): Promise<AccessKeys> {
  let keys = noKeys
  for await (const records of log.read({ topic, until: 'end' }))
    for (const { value } of records) keys = applyKeyEvent(keys, await codec.decode(value))
  return keys
}

export async function createKey(
  request: KeyRequest,
  place: KeyLog,
): Promise<CreatedKey & { readonly grants: KeyGrants }> {
  const { id, text, digest } = newKey()
  const at = Date.now()
  const grants = checkedGrants(request, at)
  const replacing = { replaces: null, replacedExpiresAt: null }
  await append({ type: 'KeyCreated', id, digest, ...grants, ...replacing, at, keyId: null }, place)
  return { id, text, grants }
}

/**
 * Makes a key with the grants of another one, which ends after the overlap. One record does both, so that no crash
 * leaves one without the other.
 * @throws LoomlogError `not-found`; `input-invalid` if the key is revoked
 */
export async function rotateKey(id: string, { overlapMs, ...rotation }: Rotation, place: KeyLog): Promise<RotatedKey> {
  const old = await keyWith(id, place)
  if (old.revokedAt !== null)
    throw new LoomlogError('input-invalid', `the key ${id} is revoked: loomlog keys create makes another`)
  const { tenant, scopes, spaces, label, speakers, roles } = old
  const at = Date.now()
  const lifetimeMs = old.expiresAt === null ? null : old.expiresAt - old.at
  const { expiresAt = lifetimeMs === null ? null : at + lifetimeMs } = rotation
  checkExpiry(expiresAt, at)
  const replacedExpiresAt = Math.min(at + overlapMs, endOfKey(old) ?? Infinity)
  const { id: newId, text, digest } = newKey()
  const grants = { tenant, scopes, spaces, label, speakers, roles, expiresAt }
  const replacing = { replaces: id, replacedExpiresAt }
  await append({ type: 'KeyCreated', id: newId, digest, ...grants, ...replacing, at, keyId: null }, place)
  return { id: newId, text, expiresAt, replacedExpiresAt }
}

/** Idempotent. @throws LoomlogError `not-found` */
export async function revokeKey(id: string, place: KeyLog): Promise<void> {
  const { revokedAt } = await keyWith(id, place)
  if (revokedAt === null) await append({ type: 'KeyRevoked', id, at: Date.now() }, place)
}

async function keyWith(id: string, place: KeyLog): Promise<AccessKey> {
  const key = (await readKeys(place)).get(id)
  if (key !== undefined) return key
  throw new LoomlogError('not-found', `there is no key ${id.slice(0, 80)}: loomlog keys list shows their ids`)
}

/** @throws LoomlogError `input-invalid` */
function checkedGrants(request: KeyRequest, now: number): KeyGrants {
  const { tenant, spaces, expiresAt = null } = request
  if (request.scopes.length === 0) throw invalidInput('scopes', [], `some of ${scopes.join(', ')}`)
  if (tenant === null && spaces !== null)
    throw new LoomlogError('input-invalid', 'a key for every tenant has no list of spaces: name its tenant')
  const label = request.label === '' ? '' : nameFrom(request.label)
  if (label === null) throw invalidInput('label', request.label, expectedName)
  checkExpiry(expiresAt, now)
  return { tenant, scopes: [...request.scopes], spaces, label, ...checkedAuthors(request), expiresAt }
}

/** Scopes whose requests have an author. */
const writingScopes: readonly Scope[] = ['append', 'correct', 'forget']

function checkedAuthors(request: KeyRequest): Pick<KeyCreated, 'speakers' | 'roles'> {
  const { speakers = null, roles: given = null } = request
  if (speakers === null && given === null) return { speakers: null, roles: null }
  if (!request.scopes.some((scope) => writingScopes.includes(scope)))
    throw new LoomlogError(
      'input-invalid',
      `speakers and roles bind what a key writes, and this one only reads: expected a scope of ${writingScopes.join(', ')}`,
    )
  if (speakers?.length === 0) throw invalidInput('speakers', [], 'at least one name')
  if (given !== null && (given.length === 0 || !given.every(isRole)))
    throw invalidInput('roles', given, `some of ${roles.join(', ')}`)
  return {
    speakers: speakers && [...new Set(speakers.map(checkedSpeaker))],
    roles: given && [...new Set(given)],
  }
}

function checkedSpeaker(speaker: string): string {
  const name = nameFrom(speaker)
  if (name === null) throw invalidInput('speaker', speaker, expectedName)
  return name
}

function checkExpiry(expiresAt: number | null, now: number): void {
  if (expiresAt !== null && expiresAt <= now)
    throw new LoomlogError(
      'input-invalid',
      `the key would expire at ${new Date(expiresAt).toISOString()}: expected a later time than now`,
    )
}

async function append(event: KeyCreated | KeyRevoked, { log, codec }: KeyLog): Promise<void> {
  await log.append(topic, [{ key: null, partition: 0, value: codec.encode(event), timestamp: event.at }])
}
