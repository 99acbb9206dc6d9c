/** Compares the checkpoints of a shard's tables with the log. */
import { continuityOf } from '@loomlog/log/checkpoint'
import type { Log } from '@loomlog/log/port'
import type { Watermark } from './port.ts'

/** The reason why some table was made from another log; null: none was. */
export async function replacedLogReason(
  log: Pick<Log, 'identity' | 'endOffsets' | 'read'>,
  place: { readonly topic: string; readonly partition: number },
  watermarks: readonly Watermark[],
): Promise<string | null> {
  for (const { checkpoint } of watermarks) {
    if (checkpoint === null) continue
    const continuity = await continuityOf(log, place, checkpoint)
    if (continuity.kind === 'replaced') return continuity.reason
  }
  return null
}
