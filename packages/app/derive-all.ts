/** Derives everything that the log holds, and returns when it is done: for commands that end. */
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import type { Host } from '@loomlog/host/open'
import { type CaughtUpOptions, type PipelineOptions, startPipeline } from './pipeline.ts'

/** Derives only `generation` if it is given. Returns the live generation at the end; null if the signal aborted. */
export async function deriveAll(
  host: Host,
  { conditions, onNews, ...until }: Pick<PipelineOptions, 'conditions' | 'onNews'> & CaughtUpOptions,
): Promise<ServingGeneration | null> {
  const alone = until.generation === undefined ? {} : { alone: until.generation }
  const pipeline = await startPipeline(host, { conditions, onNews, ...alone })
  try {
    await pipeline.caughtUp(until)
    return until.signal.aborted ? null : pipeline.serving
  } finally {
    await pipeline.close()
  }
}
