/**
 * Sends records to their partitions, in requests that the broker accepts: kafkajs makes one batch of a partition's records in a request,
 * and brokers limit batches.
 */
import type { Message, Producer } from 'kafkajs'
import { traceHeader } from './wire/batches.ts'

/** A broker's limit on a batch is 1 MiB by default. */
const batchBytes = 900_000
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

/** Sends the records in their order, and returns the offset of each. */
export async function send(sendBatch: SendBatch, placed: readonly PartitionRecord[]): Promise<readonly number[]> {
  const offsets: number[] = []
  for (let at = 0; at < placed.length; ) {
    const request = oneRequest(placed, at)
    offsets.push(...(await sendOne(sendBatch, request)))
    at += request.length
  }
  return offsets
}

function oneRequest(placed: readonly PartitionRecord[], at: number): readonly PartitionRecord[] {
  const bytes = new Places()
  let end = at
  for (; end < placed.length; end++) {
    const next = placed[end] as PartitionRecord
    const before = bytes.get(next) ?? 0
    const after = before + (next.value?.byteLength ?? 0) + Buffer.byteLength(next.key ?? '') + beyond(next)
    if (before > 0 && after > batchBytes) break
    bytes.set(next, after)
  }
  return placed.slice(at, end)
}

async function sendOne(sendBatch: SendBatch, request: readonly PartitionRecord[]): Promise<readonly number[]> {
  const byTopic = Map.groupBy(request, ({ kafkaTopic }) => kafkaTopic)
  const topicMessages = [...byTopic].map(([topic, records]) => ({ topic, messages: Messages.grouped(records) }))
  const sent = await sendBatch({ topicMessages, acks: -1 })
  const next = new Places()
  for (const { topicName, partition, baseOffset } of sent)
    next.set({ kafkaTopic: topicName, partition }, Number(baseOffset))
  return request.map((record) => {
    const offset = next.get(record)
    if (offset === undefined) throw new Error(`no offset for ${record.kafkaTopic}/${record.partition}`)
    next.set(record, offset + 1)
    return offset
  })
}

/** A number for each partition, asked for with every record. */
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
 * kafkajs groups messages by partition with one `reduce`, which copies for each message all that it has of its partition. Here every
 * partition is known, so that call is answered with the groups.
 */
class Messages extends Array<Message> {
  static grouped(records: readonly PartitionRecord[]): Messages {
    return Messages.from(records, message) as Messages
  }

  override reduce(): never {
    return Object.groupBy(this, ({ partition }) => partition as number) as never
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

/** Bytes of a record beyond its key and value, at most. */
function beyond(record: PartitionRecord): number {
  const headers = headersOf(record)
  if (headers === undefined) return overheadBytes
  return Object.entries(headers).reduce(
    (sum, parts) => sum + Buffer.byteLength(parts.join('')) + headerOverheadBytes,
    overheadBytes,
  )
}
