/**
 * Detects the end of a history. For utterances it is the end of their partition; for derived events, a watermark which says that all of
 * those utterances are done.
 */
import type { Log, LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'

interface Source {
  readonly log: Pick<Log, 'endOffsets'>
  readonly codec: Pick<Codec, 'decodeOwn'>
  readonly topic: string
}

/** @param records read last */
export async function isEndOfInput(records: readonly LogRecord[], { log, codec, topic }: Source): Promise<boolean> {
  const last = records.at(-1)
  const done = topic === 'utterances' ? (last?.offset ?? -1) + 1 : await watermarkIn(records, codec)
  if (last === undefined || done === null) return false
  const end = (await log.endOffsets('utterances'))[last.partition] ?? 0
  return done >= end
}

/** How far into the utterances the records reach, by the last watermark among them. */
async function watermarkIn(records: readonly LogRecord[], codec: Source['codec']): Promise<number | null> {
  const mark = records.findLast(({ key }) => key === null)
  const event = mark && (await codec.decodeOwn(mark.value))
  return event?.type === 'WatermarkAdvanced' ? event.offset : null
}
