/**
 * The committed records of a fetched partition: without markers, and without records of aborted transactions. The next
 * offset lies after all of them, fetched markers and aborted records included.
 */
import type { LogRecord } from '../port.ts'
import type { BatchedRecord } from './wire/batches.ts'
import type { FetchedPartition } from './wire/fetch-response.ts'

/** A record as it is in Kafka. */
export interface RawRecord extends Omit<LogRecord, 'value'> {
  /** Null: a deletion in a changelog, or a batch that can't be read. */
  readonly value: Uint8Array | null
  /** Why the batch that begins here can't be read, with its place; null for a record. */
  readonly fault: string | null
}

export interface FetchResult {
  readonly partition: number
  readonly records: readonly RawRecord[]
  /** The offset of the next fetch. */
  readonly next: number
}

/** @param from the requested offset: a broker returns whole batches, which may begin before it */
export function committedRecords(topic: string, found: FetchedPartition, from: number): FetchResult {
  const { partition } = found
  const records: RawRecord[] = []
  for (const { offset, key, value, timestamp, traceparent, batch, fault } of withoutAborted(found)) {
    if (offset < from) continue
    const reason = fault === null ? null : `${topic}/${partition}, offsets ${offset} to ${batch.lastOffset}: ${fault}`
    const keyText = key === null ? null : key.toString('utf8')
    // Written out: objects that are made by spreading take several times as long.
    const record = { topic, partition, offset, key: keyText, value, timestamp, fault: reason }
    records.push(traceparent === null ? record : { ...record, traceparent })
  }
  return { partition, records, next: nextOf(found, from) }
}

/**
 * The header of an unreadable batch may be damaged too: reading moves by one offset at least, and not beyond the high
 * watermark.
 */
function nextOf({ next, records, highWatermark }: FetchedPartition, from: number): number {
  const behind = Math.max(from, next ?? from)
  return records.some(({ fault }) => fault !== null) ? Math.min(Math.max(behind, from + 1), highWatermark) : behind
}

/**
 * The broker names the aborted transactions in the order of their ends. Each covers its producer's records from its
 * first offset to that producer's next marker.
 */
function withoutAborted({ records, abortedTransactions }: FetchedPartition): readonly BatchedRecord[] {
  const starts = abortedTransactions.toSorted((a, b) => a.firstOffset - b.firstOffset)
  const aborting = new Set<string>()
  let started = 0
  return records.filter(({ offset, isControlRecord, batch }) => {
    for (let start = starts[started]; start && start.firstOffset <= offset; start = starts[started]) {
      aborting.add(start.producerId)
      started += 1
    }
    if (!isControlRecord) return !(batch.inTransaction && aborting.has(batch.producerId))
    aborting.delete(batch.producerId)
    return false
  })
}
