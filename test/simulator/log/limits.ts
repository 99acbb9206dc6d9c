/** Checks of a write before it is made: sizes, and topics that exist. */
import { LoomlogError } from '@loomlog/errors'
import { type Commit, maxKeyBytes, maxRecordBytes, type NewRecord } from '@loomlog/log/port'
import type { Cluster } from './cluster.ts'

export function checkRecord(topic: string, { key, value }: NewRecord): void {
  if (key !== null) {
    const shown = key.length > 200 ? `${key.slice(0, 200)}…` : key
    checkSize(`the key of a record for ${topic}, ${shown},`, Buffer.byteLength(key), maxKeyBytes)
  }
  checkSize(`a record for ${topic} with key ${key ?? 'null'}`, value.byteLength, maxRecordBytes)
}

export function checkCommit(cluster: Cluster, { outputs, state }: Commit): void {
  for (const { topic, record } of outputs) {
    cluster.topic(topic)
    checkRecord(topic, record)
  }
  for (const { key, value } of state) {
    const bytes = Buffer.byteLength(key) + (value?.byteLength ?? 0)
    checkSize(`a state record with key ${key.slice(0, 200)}`, bytes, maxRecordBytes)
  }
}

function checkSize(what: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new LoomlogError('record-too-large', `${what} has ${bytes} bytes; the limit is ${limit}`)
}
