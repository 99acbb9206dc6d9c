/**
 * The pipeline of a memory in its user's process: it derives, keeps the views, publishes the feed and ends quiet
 * conversations. It is `loomlog up` without the gateway and the webhooks.
 */
import { endQuietConversations } from '@loomlog/gateway/quiet-conversations'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { Conditions, noteTemporaryFailure } from '@loomlog/host/conditions'
import { GenerationReader } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import { startPublisher } from '@loomlog/publisher/publisher'
import { publisherOptions } from '../feed-options.ts'
import { forgetTextsWithLog } from '../forgetting/forget-texts.ts'
import { startForgettings } from '../forgetting/forgetting-worker.ts'
import { startPipeline } from '../pipeline.ts'

export interface Derivation {
  /** The generations of the log, for reading. */
  readonly reader: GenerationReader
  close(): Promise<void>
}

/**
 * Returns once a generation is live.
 * @param onNotice reports outages, frozen stages and the failure of a part, after which the views stay behind the log
 * @param onForgetting reports the steps of forgettings
 */
export async function startDerivation(
  host: Host,
  onNotice: (text: string) => void,
  onForgetting: (text: string) => void = () => {},
): Promise<Derivation> {
  const conditions = new Conditions({ info: onNotice, warn: onNotice, debug: () => {} })
  const stop = new AbortController()
  const { signal } = stop
  const onFailed = (error: unknown) => {
    if (!signal.aborted) onNotice(`deriving has stopped, and views stay behind: ${(error as Error).message}`)
  }
  const onError = (error: unknown) => {
    if (!noteTemporaryFailure(error, conditions, onNotice)) onFailed(error)
  }
  const closing: (() => Promise<unknown>)[] = []
  async function close(): Promise<void> {
    stop.abort()
    for (const each of closing.splice(0).reverse()) await each()
  }
  try {
    const texts = await forgetTextsWithLog(host, { signal, onError })
    closing.push(() => texts.close())
    const pipeline = await startPipeline(host, { conditions, onNews: onNotice, signal })
    closing.push(() => pipeline.close())
    pipeline.failed.addEventListener('abort', () => onFailed(pipeline.failed.reason), { once: true })
    const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: onError, onError })
    closing.push(() => follower.close())
    const reader = new GenerationReader(host, follower)
    closing.push(() => reader.close())
    const publisher = await startPublisher(publisherOptions(host, { follower, signal, onError }))
    closing.push(() => publisher.close())
    const logger = { info: onForgetting, warn: onNotice }
    const forgettings = await startForgettings(host, { signal, logger, onError })
    closing.push(() => forgettings.close())
    const { log, codec, config } = host
    const { session, pauseAfterMs, spacePauseAfterMs } = config
    const pausing = { pauseAfterMs, spacePauseAfterMs }
    const quiet = await endQuietConversations({ log, codec, session, ...pausing, signal, onError })
    closing.push(() => quiet.close())
    return { reader, close }
  } catch (error) {
    await close()
    throw error
  }
}
