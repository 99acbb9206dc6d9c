/**
 * Size limits of records, checked before the write, so that one record too large changes nothing. They are the same on
 * every adapter, so that each log can be copied into any other.
 */
import { LoomlogError } from '@loomlog/errors'
import type { KeyStore } from './encryption/key-store.ts'
import { type Commit, maxKeyBytes, maxRecordBytes, type NewRecord } from './port.ts'

const mostShown = 200
/** UTF-8 takes three bytes at most for each of JavaScript's characters. */
const bytesOfACharacter = 3

/** Room for what encryption adds to a record, or to a state record with its key. */
const sealedRoom = 4_096

/** The limit of an adapter: a sealed value of the largest size must fit. */
export function limitOf(keys: KeyStore): number {
  return keys.logKey() === null ? maxRecordBytes : maxRecordBytes + sealedRoom
}

/** @throws LoomlogError `record-too-large`, naming topic, key, size and limit */
export function checkRecordSize(topic: string, { key, value }: NewRecord, limit = maxRecordBytes): void {
  if (key !== null && !isWithin(maxKeyBytes, key)) {
    const bytes = Buffer.byteLength(key)
    throw tooLarge(`the key of a record for ${topic}, ${shown(key)}, has ${bytes} bytes; the limit is ${maxKeyBytes}`)
  }
  const size = value.byteLength
  if (size <= limit) return
  const named = key === null ? 'no key' : `key ${shown(key)}`
  throw tooLarge(`a record for ${topic} with ${named} has ${size} bytes; the limit is ${limit}`)
}

/** @throws LoomlogError `record-too-large`, naming what is too large, its size and the limit */
export function checkCommitSize({ outputs, state }: Commit, limit = maxRecordBytes): void {
  for (const { topic, record } of outputs) checkRecordSize(topic, record, limit)
  for (const { key, value } of state) {
    if (isWithin(limit - (value?.byteLength ?? 0), key)) continue
    const size = Buffer.byteLength(key) + (value?.byteLength ?? 0)
    throw tooLarge(`a state record with key ${shown(key)} has ${size} bytes with its key; the limit is ${limit}`)
  }
}

/** Counts the bytes only if the text may exceed the limit. */
function isWithin(limit: number, text: string): boolean {
  return text.length * bytesOfACharacter <= limit || Buffer.byteLength(text) <= limit
}

function shown(key: string): string {
  return key.length <= mostShown ? key : `${key.slice(0, mostShown)}…`
}

function tooLarge(message: string): LoomlogError {
  return new LoomlogError('record-too-large', message)
}
