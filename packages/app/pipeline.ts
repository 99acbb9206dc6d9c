/**
 * The whole pipeline in one process: everything that the log says is to be derived, and its views. The same parts
 * may run in several processes on one log; they share the partitions.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { GenerationsFollower } from '@loomlog/generations/follower'
import type { Generations } from '@loomlog/generations/generations'
import { answering, liveGenerations } from '@loomlog/generations/pointers'
import { type Serving, servingFrom } from '@loomlog/generations/serving'
import { Hosting } from '@loomlog/host/hosting'
import type { Host } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import { stageParts } from '@loomlog/host/stage'
import { viewParts } from '@loomlog/materializer/hosting'
import { followUpgrade } from './generations/automatic-upgrade.ts'
import { prepareGenerations, unlikeSettings } from './generations/installed.ts'
import { liveServing } from './generations/live.ts'
import { processors } from './processors.ts'
import { generationProgress, type Progress } from './progress.ts'

export interface Pipeline {
  /** What everyone is answered by, at this moment. */
  readonly serving: Serving
  readonly readings: Readings
  /** Aborts when a part failed in a way that trying again does not mend; the reason is the error. */
  readonly failed: AbortSignal
  /** Why a stage waits for an endpoint, by derivation; empty when none does. */
  readonly paused: ReadonlyMap<string, string>
  /**
   * Returns when everything in the log is derived under what is live, or under one generation, and can be recalled, or the
   * signal aborts. @throws why it failed
   */
  caughtUp(options: CaughtUpOptions): Promise<void>
  close(): Promise<void>
}

export interface CaughtUpOptions {
  readonly signal: AbortSignal
  /** Default: what is live, and an upgrade that follows it by itself. */
  readonly generation?: string
  onProgress(progress: readonly Progress[]): void
}

export interface PipelineListener {
  /** Told of what may pass, and is tried again. */
  onTrouble(error: LoomlogError): void
  /** Told what people should know: what is frozen, what an upgrade does, or what would do it. */
  onNews(text: string): void
  /** Ends the work, also while it starts; close it all the same. */
  readonly signal?: AbortSignal
}

const lookMs = 200

export async function startPipeline(host: Host, { onTrouble, onNews, signal }: PipelineListener): Promise<Pipeline> {
  await prepareGenerations(host)
  const paused = new Map<string, string>()
  const failing = new AbortController()
  const onError = (error: unknown) => {
    // A lease that was lost goes to another owner, or comes back.
    if (isLoomlogError(error) && (error.retryable || error.code === 'fenced')) onTrouble(error)
    else failing.abort(error)
  }
  const follower = await GenerationsFollower.open({ ...host, onTrouble, onError })
  const stages = stageParts(host, processors, {
    onCommit: () => {},
    onPause: (derivation, reason) => (reason === null ? paused.delete(derivation) : paused.set(derivation, reason)),
    onFrozen: (reason) => onNews(`frozen: ${reason}`),
    onError,
  })
  const views = viewParts(host, onError)
  const partsOf: typeof views = async (...of) => [...stages(...of), ...(await views(...of))]
  const hosting = await Hosting.start({ follower, partsOf, onTrouble, onError, ...(signal && { signal }) })
  const unlike = unlikeSettings(host, follower.current)
  if (unlike !== null) onNews(unlike)
  const readings = new Readings(host, follower)
  const upgrading = await followUpgrade({ host, follower, readings, onNews, onError })

  async function caughtUp({ signal, generation, onProgress }: CaughtUpOptions): Promise<void> {
    for (let calm = 0; calm < 2 && !signal.aborted; ) {
      failing.signal.throwIfAborted()
      const wanted = generation === undefined ? awaited(follower.current, upgrading.awaited) : [generation]
      const all: Progress[] = []
      for (const id of wanted) {
        const serving = servingFrom(follower.current.generations.get(id) as Parameters<typeof servingFrom>[0])
        all.push(...(await generationProgress({ host, known: follower.current, serving, readings })))
      }
      onProgress(all)
      const isDone = generation !== undefined || upgrading.awaited === null
      calm = isDone && all.every((part) => part.lag <= 0 || part.frozen !== null) ? calm + 1 : 0
      await sleep(lookMs)
    }
  }

  async function close(): Promise<void> {
    await upgrading.close()
    await hosting.close()
    await readings.close()
    await follower.close()
  }

  return {
    get serving() {
      return liveServing(follower.current, null) as Serving
    },
    readings,
    failed: failing.signal,
    paused,
    caughtUp,
    close,
  }
}

function awaited(known: Generations, upgrade: string | null): readonly string[] {
  const everyone = answering(known, null)?.generation
  return [
    ...new Set([...(everyone ? [everyone] : []), ...liveGenerations(known), ...(upgrade === null ? [] : [upgrade])]),
  ]
}
