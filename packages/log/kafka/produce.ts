/**
 * Sends records to their partitions, in requests that the broker accepts: kafkajs puts all records of a partition in a
 * request into one batch, and brokers limit the size of a batch.
 */
import type { Producer } from 'kafkajs'
import { traceHeader } from './wire/batches.ts'
import type { BatchRecord } from './wire/record-batch.ts'

/** A broker's limit on a batch is 1 MiB by default. */
const batchBytes = 900_000
/** In place of an offset. */
const refused = -1
/** A generous bound on the bytes of a record beyond key, value and headers, and of a header beyond name and value. */
const overheadBytes = 64
const headerOverheadBytes = 10

export interface PartitionRecord {
  readonly kafkaTopic: string
  readonly partition: number
  readonly key: string | null
  /** Null deletes, in a changelog. */
  readonly value: Uint8Array | null
  readonly timestamp: number
  readonly headers?: { readonly [name: string]: string }
  readonly traceparent?: string
}

type SendBatch = Producer['sendBatch']

/** A record as kafkajs and the encoder of requests take it. */
type Message = BatchRecord & { readonly partition: number }

/**
 * Sends the records in their order, and adds their offsets to `offsets` after each request, so those of finished
 * requests outlast a failure. Ends early if a batch is too large for its topic: such a batch is refused whole, and its
 * records have no offset.
 */
export async function sendRecords(
  sendBatch: SendBatch,
  placed: readonly PartitionRecord[],
  offsets: Map<PartitionRecord, number>,
): Promise<void> {
  const before = offsets.size
  for (let at = 0; at < placed.length && offsets.size === before + at; ) {
    const request = oneRequest(placed, at)
    await sendOne(sendBatch, request, offsets)
    at += request.length
  }
}

function oneRequest(placed: readonly PartitionRecord[], at: number): readonly PartitionRecord[] {
  const bytes = new Places()
  let end = at
  for (; end < placed.length; end++) {
    const next = placed[end] as PartitionRecord
    const before = bytes.get(next) ?? 0
    const after = before + recordSizeBound(next)
    if (before > 0 && after > batchBytes) break
    bytes.set(next, after)
  }
  return placed.slice(at, end)
}

async function sendOne(
  sendBatch: SendBatch,
  request: readonly PartitionRecord[],
  offsets: Map<PartitionRecord, number>,
): Promise<void> {
  const byTopic = Map.groupBy(request, ({ kafkaTopic }) => kafkaTopic)
  const topicMessages = [...byTopic].map(([topic, records]) => ({ topic, messages: Messages.grouped(records) }))
  const sent = await sendBatch({ topicMessages, acks: -1 })
  const next = new Places()
  for (const { topicName, partition, baseOffset, errorCode } of sent)
    next.set({ kafkaTopic: topicName, partition }, errorCode === 0 ? Number(baseOffset) : refused)
  for (const record of request) {
    const offset = next.get(record)
    if (offset === undefined) throw new Error(`no offset for ${record.kafkaTopic}/${record.partition}`)
    if (offset === refused) continue
    next.set(record, offset + 1)
    offsets.set(record, offset)
  }
}

/** A number for each partition. Nested maps need no key text for each record. */
class Places {
  readonly #topics = new Map<string, Map<number, number>>()

  get({ kafkaTopic, partition }: Pick<PartitionRecord, 'kafkaTopic' | 'partition'>): number | undefined {
    return this.#topics.get(kafkaTopic)?.get(partition)
  }

  set({ kafkaTopic, partition }: Pick<PartitionRecord, 'kafkaTopic' | 'partition'>, value: number): void {
    const partitions = this.#topics.get(kafkaTopic)
    if (partitions) partitions.set(partition, value)
    else this.#topics.set(kafkaTopic, new Map([[partition, value]]))
  }
}

/**
 * kafkajs groups messages by partition with one `reduce`, which copies the list of the partition for every message. The
 * partitions are known here, so this `reduce` returns the groups.
 */
class Messages extends Array<Message> {
  static grouped(records: readonly PartitionRecord[]): Messages {
    return Messages.from(records, message) as Messages
  }

  override reduce(): never {
    return Object.groupBy(this, ({ partition }) => partition) as never
  }
}

function message(record: PartitionRecord): Message {
  const { key, value, partition, timestamp } = record
  const isBuffer = value === null || Buffer.isBuffer(value)
  const bytes = isBuffer ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const headers = headersOf(record)
  const plain = { key, value: bytes, partition, timestamp: String(timestamp) }
  return headers === undefined ? plain : { ...plain, headers }
}

function headersOf({ headers, traceparent }: PartitionRecord): Record<string, string> | undefined {
  return traceparent === undefined ? headers : { ...headers, [traceHeader]: traceparent }
}

/** An upper bound on the bytes of a record in a request. */
export function recordSizeBound(record: PartitionRecord): number {
  return (record.value?.byteLength ?? 0) + Buffer.byteLength(record.key ?? '') + beyond(record)
}

/** An upper bound on the bytes of a record beyond its key and value. */
function beyond(record: PartitionRecord): number {
  const headers = headersOf(record)
  if (headers === undefined) return overheadBytes
  return Object.entries(headers).reduce(
    (sum, parts) => sum + Buffer.byteLength(parts.join('')) + headerOverheadBytes,
    overheadBytes,
  )
}
