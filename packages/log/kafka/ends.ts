/**
 * Where the committed records of each partition end. Kafka's own end offset lies behind the marker that follows every
 * transaction, and no position ever comes to stand there; so the last record is looked for, backwards from that end.
 */
import type { TopicReader } from './fetch.ts'

/** A commit leaves one marker behind its records, so the first look nearly always finds one. */
const firstLook = 2
const waitMs = 1_000

export async function committedEnds(reader: TopicReader): Promise<readonly number[]> {
  const starts = await reader.startOffsets()
  const stable = await reader.stableOffsets()
  return await Promise.all(stable.map((end, partition) => endOf(reader, partition, starts[partition] ?? 0, end)))
}

async function endOf(reader: TopicReader, partition: number, start: number, end: number): Promise<number> {
  for (let back = firstLook, from = end; from > start; back *= 8) {
    from = Math.max(start, end - back)
    const last = await lastIn(reader, partition, from, end)
    if (last !== null) return last + 1
  }
  return start
}

async function lastIn(reader: TopicReader, partition: number, from: number, end: number): Promise<number | null> {
  let last: number | null = null
  for (let position = from; position < end; ) {
    for (const { records, next } of await reader.fetch(new Map([[partition, position]]), waitMs)) {
      last = records.findLast(({ offset }) => offset < end)?.offset ?? last
      position = next
    }
  }
  return last
}
