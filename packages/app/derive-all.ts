/** Derives everything that the log holds, and returns when it is done: for commands that end. */
import type { Serving } from '@loomlog/generations/serving'
import type { Host } from '@loomlog/host/open'
import { type CaughtUpOptions, type PipelineListener, startPipeline } from './pipeline.ts'

/** Returns the live generation as it then is; null where the signal aborted. @throws the signal's reason where it is an error */
export async function deriveAll(
  host: Host,
  { onTrouble, onNews, ...until }: Omit<PipelineListener, 'signal'> & CaughtUpOptions,
): Promise<Serving | null> {
  const pipeline = await startPipeline(host, { onTrouble, onNews })
  try {
    await pipeline.caughtUp(until)
    return until.signal.aborted ? null : pipeline.serving
  } finally {
    await pipeline.close()
  }
}
