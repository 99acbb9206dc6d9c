/**
 * The partition of a record. The same key always gives the same partition, in this process and in every Kafka client
 * with the default partitioner: murmur2 of the UTF-8 key, its sign bit masked, modulo the number of partitions.
 */
import type { LogRecord, NewRecord } from './port.ts'

const seed = 0x9747b28c
const multiplier = 0x5bd1e995

export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key, 'utf8')) & 0x7fffffff) % partitions
}

/** A key determines the partition; a record without a key names it. */
export function partitionOfRecord(record: NewRecord, partitions: number): number {
  if (record.key !== null) return partitionOf(record.key, partitions)
  const { partition } = record
  if (partition === undefined) throw new RangeError('a record without a key must name its partition')
  if (!Number.isInteger(partition) || partition < 0 || partition >= partitions) {
    throw new RangeError(`partition ${partition} is not one of ${partitions}`)
  }
  return partition
}

/**
 * Why a record is in a wrong partition; null: it isn't. Only a foreign producer with another partitioner writes such a
 * record. Readers of a space read the partition of its key, so no reader may take it from another one.
 */
export function misplacementOf(
  { topic, partition, key }: Pick<LogRecord, 'topic' | 'partition' | 'key'>,
  partitions: number,
): string | null {
  const expected = key === null ? partition : partitionOf(key, partitions)
  if (expected === partition) return null
  const advice =
    'give its producer the partitioner murmur2 (librdkafka: partitioner=murmur2_random), and append it again'
  return `the key ${key} belongs to partition ${expected} of ${topic}, and was read from ${partition}: ${advice}`
}

/** As in Kafka's Java client, on signed 32-bit integers. */
function murmur2(bytes: Buffer): number {
  const tail = bytes.length - (bytes.length % 4)
  let hash = seed ^ bytes.length
  for (let at = 0; at < tail; at += 4) {
    const mixed = Math.imul(bytes.readInt32LE(at), multiplier)
    hash = Math.imul(hash, multiplier) ^ Math.imul(mixed ^ (mixed >>> 24), multiplier)
  }
  if (tail < bytes.length) {
    for (let at = tail; at < bytes.length; at++) hash ^= bytes.readUInt8(at) << (8 * (at - tail))
    hash = Math.imul(hash, multiplier)
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier)
  return hash ^ (hash >>> 15)
}
