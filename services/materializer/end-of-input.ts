/**
 * Detects the end of a history. For utterances it is the end of their partition; for derived events, a watermark at the
 * end of that partition.
 */
import type { Log, LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'

interface Source {
  readonly log: Pick<Log, 'endOffsets'>
  readonly codec: Pick<Codec, 'decodeOwn'>
  readonly topic: string
}

/** @param records the last ones that were read */
export async function isEndOfInput(records: readonly LogRecord[], { log, codec, topic }: Source): Promise<boolean> {
  const last = records.at(-1)
  const done = topic === 'utterances' ? (last?.offset ?? -1) + 1 : await watermarkIn(records, codec)
  if (last === undefined || done === null) return false
  const end = (await log.endOffsets('utterances'))[last.partition] ?? 0
  return done >= end
}

/** The last watermark among the records; null: there is none. */
async function watermarkIn(records: readonly LogRecord[], codec: Source['codec']): Promise<number | null> {
  const mark = records.findLast(({ key }) => key === null)
  const event = mark && (await codec.decodeOwn(mark.value))
  return event?.type === 'WatermarkAdvanced' ? event.offset : null
}
