/**
 * Reads the followed topics of a partition as one stream. An event comes after the event that it is derived from, and
 * as soon after it as the log allows, so a history is published in the order in which it happened, and not topic by
 * topic.
 *
 * The ends of the topics are read from the last topic to the first. So the cause of a record below its topic's end is
 * below the end of the earlier topic. Within a space, a record with a seq waits until the earlier topic has passed that
 * seq, or is at its end.
 */
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { Log, LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { isEvent, type LogEvent } from '@loomlog/schemas/events'
import type { FollowedTopic } from './followed-topics.ts'

export interface InputRecord {
  readonly topic: FollowedTopic
  readonly record: LogRecord
  /** Null: undecodable bytes, which the stage that reads the topic parks. */
  readonly event: LogEvent | null
}

interface InputOptions {
  readonly log: Pick<Log, 'read' | 'endOffsets'>
  readonly codec: Codec
  readonly partition: number
  readonly signal: AbortSignal
}

const maxRecords = 500

/**
 * Every record up to the ends that the topics have at the call. A topic that isn't made yet, or was removed, is left
 * out.
 * @param from the next offset of each topic
 * @param onEnd called with a topic, and the end up to which it was read
 */
export async function* mergedInput(
  topics: readonly FollowedTopic[],
  from: (topic: string) => number,
  options: InputOptions,
  onEnd: (topic: string, end: number) => void,
): AsyncGenerator<InputRecord> {
  const cursors: TopicCursor[] = []
  for (const topic of topics.toReversed()) {
    const end = await endOf(options, topic.name)
    if (end !== null) cursors.push(new TopicCursor(topic, { from: from(topic.name), end }, options))
  }
  const byName = new Map(cursors.map((cursor) => [cursor.topic.name, cursor]))
  try {
    for (;;) {
      const next = await nextOf(cursors, byName)
      if (next === null) break
      yield next.take()
    }
    if (!options.signal.aborted) for (const { topic, end } of cursors) onEnd(topic.name, end)
  } finally {
    for (const cursor of cursors) await cursor.close()
  }
}

/** The last topic first, so that an event is followed by the events derived from it. */
async function nextOf(
  cursors: readonly TopicCursor[],
  byName: ReadonlyMap<string, TopicCursor>,
): Promise<TopicCursor | null> {
  for (const cursor of cursors) {
    while (cursor.needsFill) await cursor.fill()
    const upstream = byName.get(cursor.topic.upstream)
    while (upstream?.needsFill) await upstream.fill()
    if (cursor.hasHead && cursor.mayFollow(upstream)) return cursor
  }
  return null
}

async function endOf({ log, partition }: InputOptions, topic: string): Promise<number | null> {
  try {
    return (await log.endOffsets(topic))[partition] ?? 0
  } catch (error) {
    if (isLoomlogError(error, 'topic-unknown')) return null
    throw error
  }
}

class TopicCursor {
  readonly topic: FollowedTopic
  readonly end: number
  readonly #codec: Codec
  readonly #batches: AsyncIterator<readonly LogRecord[]> | null
  #records: readonly LogRecord[] = []
  #events: readonly (LogEvent | LoomlogError)[] = []
  #at = 0
  #isAtEnd: boolean
  /** By space: the highest seq of the records that were taken. */
  readonly #passed = new Map<string, number>()
  /** By space: how many forgettings were taken. Its seqs begin again after each. */
  readonly #restarts = new Map<string, number>()

  constructor(topic: FollowedTopic, { from, end }: { from: number; end: number }, options: InputOptions) {
    const { log, codec, partition, signal } = options
    this.topic = topic
    this.end = end
    this.#codec = codec
    this.#isAtEnd = from >= end
    const read = { topic: topic.name, partitions: [partition], from: new Map([[partition, from]]), maxRecords, signal }
    this.#batches = this.#isAtEnd ? null : log.read({ ...read, until: 'end' })[Symbol.asyncIterator]()
  }

  get hasHead(): boolean {
    return this.#at < this.#records.length
  }

  get needsFill(): boolean {
    return !this.hasHead && !this.#isAtEnd
  }

  async fill(): Promise<void> {
    const { done, value } = (await this.#batches?.next()) ?? { done: true, value: undefined }
    const records = done ? [] : value.filter(({ offset }) => offset < this.end)
    this.#events = await this.#codec.decodeEach(records.map(({ value: bytes }) => bytes))
    this.#records = records
    this.#at = 0
    if (done || records.length < value.length) this.#isAtEnd = true
  }

  /** Whether the upstream topic is far enough that the head may be taken. */
  mayFollow(upstream: TopicCursor | undefined): boolean {
    if (upstream === undefined || (upstream.#isAtEnd && !upstream.hasHead)) return true
    const [seq, key] = [this.#seq(), this.#records[this.#at]?.key ?? '']
    const ahead = upstream.#restartsOf(key) - this.#restartsOf(key)
    return seq === null || ahead > 0 || (ahead === 0 && (upstream.#passed.get(key) ?? -1) > seq)
  }

  take(): InputRecord {
    const record = this.#records[this.#at] as LogRecord
    const event = this.#events[this.#at] as LogEvent | LoomlogError
    const seq = this.#seq()
    if (seq !== null && record.key !== null) this.#passed.set(record.key, seq)
    if (!isLoomlogError(event) && isEvent('SubjectForgotten', event) && record.key !== null)
      this.#restarts.set(record.key, this.#restartsOf(record.key) + 1)
    this.#at += 1
    return { topic: this.topic, record, event: isLoomlogError(event) ? null : event }
  }

  async close(): Promise<void> {
    await this.#batches?.return?.()
  }

  #restartsOf(space: string): number {
    return this.#restarts.get(space) ?? 0
  }

  #seq(): number | null {
    const event = this.#events[this.#at]
    return event !== undefined && 'seq' in event && typeof event.seq === 'number' ? event.seq : null
  }
}
