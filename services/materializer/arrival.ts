/**
 * Has everything come that is to come? The utterances are all there at the end of their partition; what is derived of them, once a
 * watermark says that all of them are done.
 */
import type { Log, LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { ViewTopic } from '@loomlog/views/catalogue'
import { readable } from './projected.ts'

interface Source {
  readonly log: Pick<Log, 'endOffsets'>
  readonly codec: Pick<Codec, 'decode'>
  readonly topic: ViewTopic
}

export async function isAllThere(records: readonly LogRecord[], { log, codec, topic }: Source): Promise<boolean> {
  const last = records.at(-1)
  const done = topic === 'utterances' ? (last?.offset ?? -1) + 1 : await watermarkIn(records, codec)
  if (last === undefined || done === null) return false
  const end = (await log.endOffsets('utterances'))[last.partition] ?? 0
  return done >= end
}

/** How far into the utterances the records reach, by the last watermark among them. */
async function watermarkIn(records: readonly LogRecord[], codec: Pick<Codec, 'decode'>): Promise<number | null> {
  const mark = records.findLast(({ key }) => key === null)
  const event = mark && (await readable(mark, codec))
  return event?.type === 'WatermarkAdvanced' ? event.offset : null
}
