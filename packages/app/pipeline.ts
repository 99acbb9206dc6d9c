/**
 * The whole pipeline in one process: every running generation, with its views. The same parts may run in several
 * processes on one log; they share the partitions.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { findGeneration } from '@loomlog/generations/generation-names'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { liveGeneration, liveGenerations } from '@loomlog/generations/pointers'
import { type ServingGeneration, servingGeneration } from '@loomlog/generations/serving-generation'
import { type Conditions, noteTemporaryFailure } from '@loomlog/host/conditions'
import { GenerationReader } from '@loomlog/host/generation-reader'
import { Hosting, isRunning } from '@loomlog/host/hosting'
import type { Host } from '@loomlog/host/open'
import { backoffCondition, ServiceWatch } from '@loomlog/host/service-watch'
import { type StageListener, stageParts } from '@loomlog/host/stage'
import { viewParts } from '@loomlog/materializer/hosting'
import type { Processor } from '@loomlog/runtime/processor'
import { followUpgrade, noUpgrade } from './generations/automatic-upgrade.ts'
import { modelDifference, prepareGenerations } from './generations/configured-generation.ts'
import { liveServing } from './generations/live.ts'
import { hasCaughtUp } from './generations/promotion-checks.ts'
import { partsWithoutServer } from './parts-without-server.ts'
import { processorsOf } from './processors.ts'
import { generationProgress, type Progress, whyFrozen } from './progress.ts'

export interface Pipeline {
  /** The live generation of everyone, at this moment. */
  readonly serving: ServingGeneration
  readonly generationReader: GenerationReader
  /** Aborts when a part failed for good; the reason is the error. */
  readonly failed: AbortSignal
  /** Whether the process does its work for the live generation. */
  readonly watch: Pick<ServiceWatch, 'notReady' | 'stalled'>
  /**
   * Returns when the live generations, or one that is named, have derived everything in the log and show it in their
   * views, or when the signal aborts. A generation that runs alone is done when it can be promoted: under continuous
   * writes it never has everything.
   * @throws LoomlogError the failure of a part; `log-full`, since waiting does not help
   */
  caughtUp(options: CaughtUpOptions): Promise<void>
  close(): Promise<void>
}

export interface CaughtUpOptions {
  readonly signal: AbortSignal
  /** Default: the live ones, and the successor of an upgrade. */
  readonly generation?: string
  onProgress(progress: readonly Progress[]): void
}

export interface PipelineOptions {
  /** Outages, paused and stalled stages. */
  readonly conditions: Conditions
  /** Reports frozen stages and upgrades, for people. */
  onNews(text: string): void
  /** Processors in the order of the flow. Default: all that are installed. */
  readonly processors?: readonly Processor[]
  /**
   * Runs this generation alone, also one that is not started, and so without a throttle. Default: all running
   * generations.
   */
  readonly alone?: string
  /** Ends the work, also during the start. The pipeline must be closed all the same. */
  readonly signal?: AbortSignal
}

const pollMs = 200
/** Interval at which a process that derives alone checks whether a shared part has lost its servers. */
const refreshMs = 2_000

export async function startPipeline(host: Host, options: PipelineOptions): Promise<Pipeline> {
  const { conditions, onNews, processors = processorsOf(host), alone, signal } = options
  await prepareGenerations(host, processors)
  const failing = new AbortController()
  const onError = (error: unknown) => {
    if (!noteTemporaryFailure(error, conditions, onNews)) failing.abort(error)
  }
  const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: onError, onError })
  const stages = stageParts(host, processors, {
    onCommit: () => {},
    ...endpointConditions(conditions),
    onFrozen: (reason) => onNews(`frozen: ${reason}`),
    onError,
  })
  const views = viewParts(host, onError)
  const allParts: typeof views = async (known, of) => [...stages(known, of), ...(await views(known, of))]
  const hosted =
    alone === undefined
      ? { partsOf: allParts, isHosted: isRunning }
      : { partsOf: partsWithoutServer(host, alone, allParts), isHosted: ({ id }: Generation) => id === alone }
  const hosting = await Hosting.start({
    follower,
    ...hosted,
    onTemporaryFailure: onError,
    onError,
    ...(signal && { signal }),
  })
  const refreshing = alone === undefined ? null : setInterval(() => hosting.refresh(), refreshMs)
  const statusBefore = follower.current.generations.get(alone ?? '')?.status
  const otherModel = modelDifference(host, follower.current, processors)
  if (otherModel !== null) onNews(otherModel)
  const generationReader = new GenerationReader(host, follower)
  const upgrading =
    alone === undefined
      ? await followUpgrade({ host, follower, generationReader, processors, onNews, onError })
      : noUpgrade
  const frozenCheck = (known: Generations, { derivations }: Generation) =>
    Object.values(derivations)
      .map((id) => whyFrozen({ host, known, processors }, id))
      .find((reason) => reason !== null) ?? null
  const watch = ServiceWatch.start({ host, follower, conditions, frozenCheck })

  async function caughtUp({ signal, generation, onProgress }: CaughtUpOptions): Promise<void> {
    for (let calm = 0; calm < 2 && !signal.aborted; ) {
      failing.signal.throwIfAborted()
      const full = conditions.current.get('failing log-full')
      if (full) throw new LoomlogError('log-full', full.text)
      refuseIfStopped()
      const wanted = generation === undefined ? awaited(follower.current, upgrading.awaited) : [generation]
      const all: Progress[] = []
      for (const id of wanted) all.push(...(await generationProgress({ ...servingNow(id), processors })))
      onProgress(all)
      calm = (await isDone(all, generation)) ? calm + 1 : 0
      await sleep(pollMs)
    }
  }

  /** Another process may pause, cancel or retire the generation that this one derives. */
  function refuseIfStopped(): void {
    const status = follower.current.generations.get(alone ?? '')?.status
    if (status === statusBefore || status === 'running') return
    throw new LoomlogError(
      'generation-refused',
      `${alone} is ${status} now, by another command: it is derived no further`,
    )
  }

  function servingNow(id: string) {
    const known = follower.current
    return { host, known, serving: servingGeneration(findGeneration(known, id), host.topics), generationReader }
  }

  async function isDone(all: readonly Progress[], generation: string | undefined): Promise<boolean> {
    if (all.every(({ lag, frozen }) => lag <= 0 || frozen !== null))
      return generation !== undefined || upgrading.awaited === null
    return alone !== undefined && hasCaughtUp(servingNow(alone))
  }

  async function close(): Promise<void> {
    if (refreshing) clearInterval(refreshing)
    await watch.close()
    await upgrading.close()
    await hosting.close()
    await generationReader.close()
    await follower.close()
  }

  return {
    get serving() {
      return liveServing(host, follower.current, null) as ServingGeneration
    },
    generationReader,
    failed: failing.signal,
    watch,
    caughtUp,
    close,
  }
}

/** For a stage's listener: a group that waits for an endpoint is a condition. */
export function endpointConditions(conditions: Conditions): Pick<StageListener, 'onBackoff' | 'onSlowCall'> {
  const note = (name: string, group: string, reason: string | null) => {
    const [stage] = group.split('.')
    if (reason === null) conditions.end(name, `${stage} continues`)
    else conditions.begin(name, `${stage} waits: ${reason}`)
  }
  return {
    onBackoff: (group, reason) => note(backoffCondition(group), group, reason),
    onSlowCall: (group, reason) => note(`slow ${group}`, group, reason),
  }
}

function awaited(known: Generations, upgrade: string | null): readonly string[] {
  const everyone = liveGeneration(known, null)?.generation
  return [
    ...new Set([...(everyone ? [everyone] : []), ...liveGenerations(known), ...(upgrade === null ? [] : [upgrade])]),
  ]
}
