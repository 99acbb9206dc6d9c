/**
 * The records of a space that count, from the log in its order since the last forgetting: the first one of each id or
 * key, as the stages admit them. Repetitions are left out, and so is an id that came again with other content, which
 * was parked. Memory holds the ids.
 */
import type { Host } from '@loomlog/host/open'
import { offsetAfterForgetting } from '@loomlog/intake/last-forgetting'
import { partitionOf } from '@loomlog/log/partition'
import type { AnswerRecorded, SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { ArchivedTopic } from './archive.ts'
import { belongsTo } from './archived-record.ts'

interface SpaceTopic {
  readonly topic: ArchivedTopic
  /** `tenant/space` */
  readonly key: string
  /** The offset after the last record to read. Default: the present end. */
  readonly end?: number
  /** Reports a record under the space's key that no stage reads, such as a damaged one. */
  onUnreadable?(): void
}

export async function* spaceRecords(
  { log, codec, partitions: count }: Pick<Host, 'log' | 'codec' | 'partitions'>,
  { topic, key, end = Number.POSITIVE_INFINITY, onUnreadable = () => {} }: SpaceTopic,
): AsyncGenerator<{ readonly event: SourceEvent | AnswerRecorded; readonly appendedAt: number }> {
  const seen = new Set<string>()
  const partition = partitionOf(key, count)
  const start =
    topic === 'utterances' ? await offsetAfterForgetting({ log, codec }, { topic, key, partitions: count }) : 0
  const from = new Map([[partition, start]])
  for await (const records of log.read({ topic, partitions: [partition], from, until: 'end' })) {
    for (const record of records) {
      if (record.key !== key || record.offset >= end) continue
      const event = await codec.decodeOrNull(record.value)
      if (event === null || !belongsTo(topic, event) || spaceKey(event.tenant, event.space) !== key) onUnreadable()
      else if (!seen.has(idOf(event))) {
        seen.add(idOf(event))
        yield { event, appendedAt: record.timestamp }
      }
    }
  }
}

function idOf(event: SourceEvent | AnswerRecorded): string {
  return event.type === 'AnswerRecorded' ? event.key : event.id
}
