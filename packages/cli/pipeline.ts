/**
 * The whole pipeline in one process: the four processors and a materializer for every topic. The same parts
 * may run in several processes on one log; they share the partitions.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { type Serving, servingOf } from '@loomlog/generations/serving'
import { type Host, viewsUri } from '@loomlog/host/open'
import { stageOf } from '@loomlog/host/stage'
import type { Membership } from '@loomlog/log/port'
import { materialize } from '@loomlog/materializer/materializer'
import { runStage } from '@loomlog/runtime/run'
import { prepareGeneration, viewReader, viewSources } from './generation.ts'
import { type Progress, stageProgress, viewProgress } from './progress.ts'

export interface Pipeline {
  readonly serving: Serving
  /** Aborts when a part failed in a way that trying again does not mend; the reason is the error. */
  readonly failed: AbortSignal
  /** Why a stage waits for an endpoint, by stage; empty when none does. */
  readonly paused: ReadonlyMap<string, string>
  /** Returns when everything in the log is derived and can be recalled, or the signal aborts. @throws why it failed */
  caughtUp(signal: AbortSignal, onProgress: (progress: readonly Progress[]) => void): Promise<void>
  close(): Promise<void>
}

const lookMs = 200

/** @param onTrouble told of what may pass, and is tried again */
export async function startPipeline(host: Host, onTrouble: (error: LoomlogError) => void): Promise<Pipeline> {
  const plan = await prepareGeneration(host)
  const serving = servingOf(plan)
  const { session } = host.config
  const paused = new Map<string, string>()
  const members: Membership[] = []
  const failing = new AbortController()
  const onError = (error: unknown) => {
    // A lease that was lost goes to another owner, or comes back.
    if (isLoomlogError(error) && (error.retryable || error.code === 'fenced')) onTrouble(error)
    else failing.abort(error)
  }
  for (const planned of plan.stages) {
    const name = planned.processor.stage
    const stage = stageOf(host, planned, {
      onCommit: () => {},
      onPause: (reason) => (reason === null ? paused.delete(name) : paused.set(name, reason)),
    })
    members.push(await runStage({ log: host.log, stage, ...session, onError }))
  }
  for (const [topic, source] of viewSources(serving)) {
    members.push(
      await materialize({
        log: host.log,
        codec: host.codec,
        vectors: { embedder: host.embedder, book: host.answers, cache: host.viewVectors },
        views: viewsUri(host.config),
        topic,
        source,
        ...session,
        onError,
      }),
    )
  }

  async function caughtUp(signal: AbortSignal, onProgress: (progress: readonly Progress[]) => void): Promise<void> {
    const views = viewReader(host, serving)
    try {
      for (let calm = 0; calm < 2 && !signal.aborted; ) {
        failing.signal.throwIfAborted()
        const stages = await stageProgress(host, serving)
        // Views are asked only when nothing more can come to them: it takes a while.
        const all = stages.some((stage) => stage.lag > 0)
          ? stages
          : [...stages, ...(await viewProgress(host, serving, views))]
        onProgress(all)
        calm = all.every((part) => part.lag <= 0) ? calm + 1 : 0
        await sleep(lookMs)
      }
    } finally {
      await views.close()
    }
  }

  async function close(): Promise<void> {
    await Promise.all(members.map((member) => member.close()))
  }

  return { serving, failed: failing.signal, paused, caughtUp, close }
}
