/**
 * The whole pipeline in one process, on the embedded log: the four processors and a materializer for every topic. The same parts
 * may run in several processes on one log; they share the partitions.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { consolidator } from '@loomlog/consolidator/processor'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { factExtractor } from '@loomlog/fact-extractor/processor'
import type { GenerationPlan } from '@loomlog/generations/plan'
import { adoptGeneration } from '@loomlog/generations/store'
import { type Host, viewsUri } from '@loomlog/host/open'
import { configuredGeneration, createDerivedTopics, stageOf } from '@loomlog/host/stage'
import type { Membership } from '@loomlog/log/port'
import { materialize } from '@loomlog/materializer/materializer'
import type { Processor } from '@loomlog/runtime/processor'
import { groupOf, runStage } from '@loomlog/runtime/run'
import { topicLoom } from '@loomlog/topic-loom/processor'
import { physicalTopic } from '@loomlog/topics/catalogue'
import { traceWeaver } from '@loomlog/trace-weaver/processor'
import { type ViewTopic, viewTopics } from '@loomlog/views/catalogue'
import { ViewReader } from '@loomlog/views/reader'

/** In the order of the flow. */
export const processors: readonly Processor[] = [topicLoom, factExtractor, traceWeaver, consolidator]

/** How far one stage or view has come in the topic it reads. */
export interface Progress {
  readonly name: string
  readonly done: number
  readonly end: number
}

export interface Pipeline {
  readonly plan: GenerationPlan
  progress(): Promise<readonly Progress[]>
  /** Aborts when a part failed in a way that trying again does not mend; the reason is the error. */
  readonly failed: AbortSignal
  /** Why a stage waits for an endpoint, by stage; empty when none does. */
  readonly paused: ReadonlyMap<string, string>
  /** Returns when everything in the log is derived and can be recalled, or the signal aborts. @throws why it failed */
  caughtUp(signal: AbortSignal, onProgress: (progress: readonly Progress[]) => void): Promise<void>
  close(): Promise<void>
}

const lookMs = 200

/** The topics of a generation's views, as they are called in the log. */
export function viewSources(plan: GenerationPlan): ReadonlyMap<ViewTopic, string> {
  const derivations = new Map(plan.stages.map((stage) => [stage.processor.writes, stage.derivation]))
  return new Map(viewTopics.map((topic) => [topic, physicalTopic(topic, derivations.get(topic) ?? null)]))
}

export function viewReader(host: Host, plan: GenerationPlan): ViewReader {
  const { partitions } = host
  return new ViewReader({
    views: viewsUri(host.config),
    vectorSpace: host.embedder.space,
    partitions,
    sources: viewSources(plan),
  })
}

/** Makes the topics of the configured generation, and the generation itself if the log has none. @throws `recipe-differs` */
export async function prepareGeneration(host: Host): Promise<GenerationPlan> {
  const plan = configuredGeneration(host, processors)
  await createDerivedTopics(host, plan)
  await adoptGeneration(host.log, host.codec, plan)
  return plan
}

/** @param onTrouble told of what may pass, and is tried again */
export async function startPipeline(host: Host, onTrouble: (error: LoomlogError) => void): Promise<Pipeline> {
  const plan = await prepareGeneration(host)
  const paused = new Map<string, string>()
  const watermarks = new Map<string, number>()
  const members: Membership[] = []
  const failing = new AbortController()
  const onError = (error: unknown) => {
    if (isLoomlogError(error) && error.retryable) onTrouble(error)
    else failing.abort(error)
  }
  for (const planned of plan.stages) {
    const name = planned.processor.stage
    const stage = stageOf(host, planned, {
      onCommit: () => {},
      onPause: (reason) => (reason === null ? paused.delete(name) : paused.set(name, reason)),
    })
    members.push(await runStage({ log: host.log, stage, onError }))
  }
  for (const [topic, source] of viewSources(plan)) {
    members.push(
      await materialize({
        log: host.log,
        codec: host.codec,
        vectors: { embedder: host.embedder, book: host.answers },
        views: viewsUri(host.config),
        topic,
        source,
        onApplied: ({ partition, watermark }) => watermarks.set(`${topic}/${partition}`, watermark),
        onError,
      }),
    )
  }

  async function progress(): Promise<readonly Progress[]> {
    const groups = await host.log.groups()
    const stages = plan.stages.map(async ({ processor, derivation, reads }) => {
      const ends = await host.log.endOffsets(reads)
      const group = groupOf(processor.stage, derivation)
      const positions = groups.filter((lag) => lag.group === group && lag.topic === reads)
      return { name: processor.stage, done: sum(positions.map((lag) => lag.position)), end: sum(ends) }
    })
    const views = [...viewSources(plan)].map(async ([topic, source]) => {
      const ends = await host.log.endOffsets(source)
      const done = sum(ends.map((_, partition) => watermarks.get(`${topic}/${partition}`) ?? 0))
      return { name: `view of ${topic}`, done, end: sum(ends) }
    })
    // Stages before views, the source first: what a later one has read can then not have grown meanwhile unseen.
    return Promise.all([...stages, ...views])
  }

  async function caughtUp(signal: AbortSignal, onProgress: (progress: readonly Progress[]) => void): Promise<void> {
    for (let calm = 0; calm < 2 && !signal.aborted; ) {
      failing.signal.throwIfAborted()
      const now = await progress()
      onProgress(now)
      calm = now.every(({ done, end }) => done >= end) ? calm + 1 : 0
      await sleep(lookMs)
    }
  }

  async function close(): Promise<void> {
    await Promise.all(members.map((member) => member.close()))
  }

  return { plan, failed: failing.signal, progress, paused, caughtUp, close }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
