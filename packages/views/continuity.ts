/** Compares the checkpoints of a shard's tables with the log that they should be made from. */
import { continuityOf } from '@loomlog/log/checkpoint'
import type { Log } from '@loomlog/log/port'
import type { Watermark } from './port.ts'

/** Why the log doesn't continue the one that some table was made from; null: it does. */
export async function replacedIn(
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
