/**
 * Creates, lists and revokes API keys. They are records in the topic `keys`, so every process on the log has the same
 * keys.
 */
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { Log } from '@loomlog/log/port'
import { type FoldListener, TopicFold } from '@loomlog/runtime/topic-fold'
import type { Codec } from '@loomlog/schemas/codec'
import type { KeyCreated, KeyRevoked } from '@loomlog/schemas/events'
import { expectedName, nameFrom } from '@loomlog/schemas/names'
import { newKey } from './key-text.ts'
import { type AccessKeys, applyKeyEvent, noKeys } from './keys.ts'
import { type Scope, scopes } from './scopes.ts'

const topic = 'keys'

interface KeyLog {
  readonly log: Log
  readonly codec: Codec
}

export interface KeyRequest extends Pick<KeyCreated, 'tenant' | 'spaces' | 'label'> {
  readonly scopes: readonly Scope[]
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

/** @returns the key's id and its text. The text is not stored, so it can't be shown again. */
export async function createKey(
  request: KeyRequest,
  place: KeyLog,
): Promise<{ readonly id: string; readonly text: string }> {
  if (request.scopes.length === 0) throw invalidInput('scopes', [], `some of ${scopes.join(', ')}`)
  if (request.tenant === null && request.spaces !== null)
    throw new LoomlogError('input-invalid', 'a key for every tenant has no list of spaces: name its tenant')
  const label = request.label === '' ? '' : nameFrom(request.label)
  if (label === null) throw invalidInput('label', request.label, expectedName)
  const { id, text, digest } = newKey()
  await append({ type: 'KeyCreated', id, digest, ...request, label, at: Date.now() }, place)
  return { id, text }
}

/** Idempotent. @throws LoomlogError `not-found` */
export async function revokeKey(id: string, place: KeyLog): Promise<void> {
  const key = (await readKeys(place)).get(id)
  if (key === undefined)
    throw new LoomlogError('not-found', `there is no key ${id.slice(0, 80)}: loomlog keys list shows their ids`)
  if (key.revokedAt === null) await append({ type: 'KeyRevoked', id, at: Date.now() }, place)
}

async function append(event: KeyCreated | KeyRevoked, { log, codec }: KeyLog): Promise<void> {
  await log.append(topic, [{ key: null, partition: 0, value: codec.encode(event), timestamp: event.at }])
}
