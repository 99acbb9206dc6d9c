/**
 * Reading without a group: a connection of its own, and one fetch under way for each broker that leads a wanted partition, so
 * that a quiet one never holds up a busy one.
 */
import { LoomlogError } from '@loomlog/errors'
import type { LogRecord, ReadOptions } from '../port.ts'
import type { Connect } from './cluster.ts'
import { type Fetched, type RawRecord, TopicReader } from './fetch.ts'
import type { Names } from './names.ts'

const defaultMaxRecords = 1_000
const maxWaitMs = 1_000

export async function* readTopic(
  connect: Connect,
  names: Names,
  options: ReadOptions,
): AsyncGenerator<readonly LogRecord[]> {
  const reader = await TopicReader.open(connect, names.topic(options.topic), options.topic)
  try {
    yield* batches(reader, options)
  } catch (error) {
    if (!options.signal?.aborted) throw error
  } finally {
    await reader.close()
  }
}

async function* batches(reader: TopicReader, options: ReadOptions): AsyncGenerator<readonly LogRecord[]> {
  const positions = startPositions(reader, options)
  const ends = options.until === 'end' ? await reader.endOffsets() : null
  const maxRecords = options.maxRecords ?? defaultMaxRecords
  const pending = new Map<number, Promise<number>>()
  const arrived: Fetched[] = []
  const aborted = abortion(options.signal)
  for (;;) {
    for (const [partition, position] of positions) {
      if (ends && position >= (ends[partition] ?? 0)) positions.delete(partition)
    }
    if (positions.size === 0 || options.signal?.aborted) return
    fetchFromIdleLeaders(reader, positions, pending, arrived)
    const leader = await Promise.race([...pending.values(), aborted])
    if (leader === null) return
    pending.delete(leader)
    for (const { partition, records, next } of arrived.splice(0)) {
      // A partition whose leader has moved may have been asked for twice.
      const from = positions.get(partition)
      if (from === undefined || from >= next) continue
      const before = ends?.[partition] ?? Number.POSITIVE_INFINITY
      const wanted = records.filter(({ offset }) => offset >= from && offset < before)
      for (let at = 0; at < wanted.length; at += maxRecords) {
        yield wanted.slice(at, at + maxRecords).map(withValue)
        if (options.signal?.aborted) return
      }
      positions.set(partition, next)
    }
  }
}

function fetchFromIdleLeaders(
  reader: TopicReader,
  positions: ReadonlyMap<number, number>,
  pending: Map<number, Promise<number>>,
  arrived: Fetched[],
): void {
  for (const [leader, entries] of Map.groupBy(positions, ([partition]) => reader.leaderOf(partition))) {
    if (pending.has(leader)) continue
    const fetching = reader.fetch(new Map(entries), maxWaitMs).then((fetched) => {
      arrived.push(...fetched)
      return leader
    })
    fetching.catch(() => {})
    pending.set(leader, fetching)
  }
}

function startPositions(reader: TopicReader, { topic, partitions, from }: ReadOptions): Map<number, number> {
  const known = reader.partitions
  const wanted = partitions ?? known
  const missing = wanted.find((partition) => !known.includes(partition))
  if (missing !== undefined) throw new RangeError(`topic ${topic} has no partition ${missing}`)
  return new Map(wanted.map((partition) => [partition, from?.get(partition) ?? 0]))
}

function abortion(signal: AbortSignal | undefined): Promise<null> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(null), { once: true }))
}

export function withValue(record: RawRecord): LogRecord {
  const { value } = record
  if (value !== null) return { ...record, value }
  throw new LoomlogError('log-corrupt', `${record.topic}/${record.partition} at ${record.offset} has no value`)
}
