/**
 * Reading without a group, with one fetch in flight for each broker that leads a wanted partition, so that a quiet
 * broker never holds up a busy one. A read that ends uses a shared connection, and ends before the first transaction
 * that stays open, since its records are not committed. A reader that follows has a connection of its own.
 */
import type { LogRecord, ReadOptions } from '../port.ts'
import { unreadableValue } from '../unreadable-value.ts'
import type { Connect } from './driver.ts'
import type { KafkaNames } from './names.ts'
import type { FetchResult, RawRecord } from './read-committed.ts'
import type { ReaderPool } from './reader-pool.ts'
import { TopicReader } from './topic-reader.ts'
import { untilAborted } from './until-aborted.ts'

const defaultMaxRecords = 1_000
const maxWaitMs = 1_000
const noBytes = new Uint8Array()

interface ReadContext {
  readonly connect: Connect
  readonly names: KafkaNames
  readonly pool: ReaderPool
}

export async function* readTopic(
  { connect, names, pool }: ReadContext,
  options: ReadOptions,
): AsyncGenerator<readonly LogRecord[]> {
  const { topic, until } = options
  if (until === 'end') return yield* pool.use(topic, ({ reader }) => readSlices(reader, options))
  const reader = await TopicReader.open(connect, names.topic(topic), topic)
  try {
    yield* readSlices(reader, options)
  } catch (error) {
    if (!options.signal?.aborted) throw error
  } finally {
    await reader.close()
  }
}

async function* readSlices(reader: TopicReader, options: ReadOptions): AsyncGenerator<readonly LogRecord[]> {
  const lastStable = await reader.lastStableOffsets()
  const positions = startPositions(reader, options)
  if ([...positions].some(([partition, next]) => next > endOf(lastStable, partition)))
    await reader.requireReached(positions)
  const ends = options.until === 'end' ? lastStable : null
  const signal = options.signal ?? new AbortController().signal
  const fetches = new Fetches(reader)
  while (dropFinished(positions, ends) > 0) {
    const results = await untilAborted(fetches.next(positions), signal)
    for (const result of results ?? []) {
      for (const slice of slices(newRecords(result, positions, ends), options.maxRecords ?? defaultMaxRecords)) {
        if (!signal.aborted) yield slice
      }
    }
    if (signal.aborted) return
  }
}

type Ends = readonly number[] | null

/** Returns the number of partitions that are left. */
function dropFinished(positions: Map<number, number>, ends: Ends): number {
  for (const [partition, position] of positions) if (position >= endOf(ends, partition)) positions.delete(partition)
  return positions.size
}

/**
 * Advances the position. A partition whose leader has moved may be fetched twice, so records before the position are
 * left out.
 */
function newRecords(result: FetchResult, positions: Map<number, number>, ends: Ends): readonly RawRecord[] {
  const { partition, records, next } = result
  const from = positions.get(partition)
  if (from === undefined || next <= from) return []
  positions.set(partition, next)
  return records.filter(({ offset }) => offset >= from && offset < endOf(ends, partition))
}

function endOf(ends: Ends, partition: number): number {
  return ends ? (ends[partition] ?? 0) : Number.POSITIVE_INFINITY
}

function* slices(records: readonly RawRecord[], maxRecords: number): Generator<readonly LogRecord[]> {
  for (let at = 0; at < records.length; at += maxRecords) yield records.slice(at, at + maxRecords).map(withValue)
}

/** One fetch in flight for each leader. */
class Fetches {
  readonly #reader: TopicReader
  readonly #inFlight = new Map<number, Promise<number>>()
  readonly #results: FetchResult[] = []

  constructor(reader: TopicReader) {
    this.#reader = reader
  }

  async next(positions: ReadonlyMap<number, number>): Promise<readonly FetchResult[]> {
    for (const [leader, entries] of Map.groupBy(positions, ([partition]) => this.#reader.leaderOf(partition))) {
      if (this.#inFlight.has(leader)) continue
      const fetching = this.#reader.fetch(new Map(entries), maxWaitMs).then((results) => {
        this.#results.push(...results)
        return leader
      })
      fetching.catch(() => {})
      this.#inFlight.set(leader, fetching)
    }
    this.#inFlight.delete(await Promise.race(this.#inFlight.values()))
    return this.#results.splice(0)
  }
}

function startPositions(reader: TopicReader, { topic, partitions, from }: ReadOptions): Map<number, number> {
  const known = reader.partitions
  const wanted = partitions ?? known
  const missing = wanted.find((partition) => !known.includes(partition))
  if (missing !== undefined) throw new RangeError(`topic ${topic} has no partition ${missing}`)
  return new Map(wanted.map((partition) => [partition, from?.get(partition) ?? 0]))
}

/** A record without a value comes from another client. It gets no bytes, so decoding refuses it, and it is parked. */
export function withValue({
  topic,
  partition,
  offset,
  timestamp,
  key,
  value,
  fault,
  traceparent,
}: RawRecord): LogRecord {
  const bytes = value ?? (fault === null ? noBytes : unreadableValue(fault))
  const record = { topic, partition, offset, key, value: bytes, timestamp }
  return traceparent === undefined ? record : { ...record, traceparent }
}
