/**
 * Reading without a group: a connection of its own, and one fetch under way for each broker that leads a wanted partition, so
 * that a quiet one never holds up a busy one.
 */
import type { LogRecord, ReadOptions } from '../port.ts'
import { unreadableValue } from '../unreadable.ts'
import type { Connect } from './cluster.ts'
import { type Fetched, type RawRecord, TopicReader } from './fetch.ts'
import type { Names } from './names.ts'
import { orAbort } from './or-abort.ts'

const defaultMaxRecords = 1_000
const maxWaitMs = 1_000
const noBytes = new Uint8Array()

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
  const endsNow = await reader.endOffsets()
  reader.requireReached(positions, endsNow)
  const ends = options.until === 'end' ? endsNow : null
  const signal = options.signal ?? new AbortController().signal
  const fetches = new Fetches(reader)
  while (dropFinished(positions, ends) === 'more') {
    const arrived = await orAbort(fetches.next(positions), signal)
    for (const fetched of arrived ?? []) {
      for (const batch of slices(fresh(fetched, positions, ends), options.maxRecords ?? defaultMaxRecords)) {
        if (!signal.aborted) yield batch
      }
    }
    if (signal.aborted) return
  }
}

type Ends = readonly number[] | null

function dropFinished(positions: Map<number, number>, ends: Ends): 'more' | 'done' {
  for (const [partition, position] of positions) if (position >= endOf(ends, partition)) positions.delete(partition)
  return positions.size > 0 ? 'more' : 'done'
}

/** What was not read before, and moves the position. A partition whose leader has moved may have been asked for twice. */
function fresh(fetched: Fetched, positions: Map<number, number>, ends: Ends): readonly RawRecord[] {
  const { partition, records, next } = fetched
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

/** One fetch under way for each leader. */
class Fetches {
  readonly #reader: TopicReader
  readonly #underWay = new Map<number, Promise<number>>()
  readonly #arrived: Fetched[] = []

  constructor(reader: TopicReader) {
    this.#reader = reader
  }

  async next(positions: ReadonlyMap<number, number>): Promise<readonly Fetched[]> {
    for (const [leader, entries] of Map.groupBy(positions, ([partition]) => this.#reader.leaderOf(partition))) {
      if (this.#underWay.has(leader)) continue
      const fetching = this.#reader.fetch(new Map(entries), maxWaitMs).then((fetched) => {
        this.#arrived.push(...fetched)
        return leader
      })
      fetching.catch(() => {})
      this.#underWay.set(leader, fetching)
    }
    this.#underWay.delete(await Promise.race(this.#underWay.values()))
    return this.#arrived.splice(0)
  }
}

function startPositions(reader: TopicReader, { topic, partitions, from }: ReadOptions): Map<number, number> {
  const known = reader.partitions
  const wanted = partitions ?? known
  const missing = wanted.find((partition) => !known.includes(partition))
  if (missing !== undefined) throw new RangeError(`topic ${topic} has no partition ${missing}`)
  return new Map(wanted.map((partition) => [partition, from?.get(partition) ?? 0]))
}

/** A record without a value is another client's. Its bytes can't be decoded, so it is parked, and the reading goes on. */
export function withValue({ fault, value, ...place }: RawRecord): LogRecord {
  return { ...place, value: value ?? (fault === null ? noBytes : unreadableValue(fault)) }
}
