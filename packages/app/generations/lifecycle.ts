/** Changes of a generation's status: start, pause, resume, cancel, promote, roll back. Each is an event in the log. */
import { LoomlogError } from '@loomlog/errors'
import { changeRefusal } from '@loomlog/generations/fold'
import type { Generations } from '@loomlog/generations/generations'
import type { GenerationPlan } from '@loomlog/generations/plan'
import { liveGeneration } from '@loomlog/generations/pointers'
import {
  type ChangedGenerations,
  changeGenerations,
  defineGeneration,
  type GenerationLabels,
  readGenerations,
} from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { createDerivedTopics } from '@loomlog/host/stage'
import type { GenerationPromoted, GenerationStatus } from '@loomlog/schemas/events'

/** Defines the generation if it is new, with its topics. */
export async function addGeneration(host: Host, plan: GenerationPlan, naming: GenerationLabels): Promise<void> {
  await createDerivedTopics(host, plan)
  await defineGeneration(host.log, host.codec, plan, naming)
}

export interface StartOptions {
  readonly plan: GenerationPlan
  readonly naming: GenerationLabels
  /** The share of the time that it may work beside live work; null: the default. */
  readonly share: number | null
  /** `keep`: a generation that was started before keeps its status, which is no error. */
  readonly ifStarted: 'refuse' | 'keep'
}

/**
 * Defines the generation if it is new, and starts it.
 * @throws LoomlogError `generation-refused` where it is started already
 */
export async function startGeneration(
  host: Host,
  { plan, naming, share, ifStarted }: StartOptions,
): Promise<Generations | ChangedGenerations> {
  const before = await readGenerations(host.log, host.codec)
  const status = before.generations.get(plan.id)?.status ?? 'defined'
  if (ifStarted === 'keep' && status !== 'defined') return before
  await addGeneration(host, plan, naming)
  try {
    return await changeStatus(host, plan.id, { previous: status, status: 'running', share })
  } catch (error) {
    const now = await readGenerations(host.log, host.codec)
    if (ifStarted === 'keep' && now.generations.get(plan.id)?.status === 'running') return now
    throw error
  }
}

/**
 * Derives a generation with `derive`, and then starts it. Servers host running generations only, so they host none of
 * its parts meanwhile, except parts that it shares with a running generation. If `derive` fails, the generation is
 * started too, and servers continue it. If the signal aborts, it keeps its status.
 *
 * @throws LoomlogError `generation-refused` before `derive` where it can't be started, such as while one of its topics
 * is removed
 */
export async function startAfterDeriving(
  derive: () => Promise<unknown>,
  host: Host,
  {
    generation,
    share,
    signal,
  }: { readonly generation: string; readonly share: number | null; readonly signal: AbortSignal },
): Promise<void> {
  const before = await readGenerations(host.log, host.codec)
  const previous = before.generations.get(generation)?.status
  if (previous === undefined || previous === 'running') return void (await derive())
  const change = { previous, status: 'running', share } as const
  const refused = changeRefusal(before, { type: 'GenerationStatusChanged', generation, ...change, at: Date.now() })
  if (refused !== null) throw new LoomlogError('generation-refused', refused)
  const start = async () => {
    const now = await readGenerations(host.log, host.codec)
    if (!signal.aborted && now.generations.get(generation)?.status === previous)
      await changeStatus(host, generation, change)
  }
  try {
    await derive()
  } catch (error) {
    // Only the first error is thrown: both have one cause, such as an unavailable log.
    await start().catch(() => {})
    throw error
  }
  await start()
}

/** @throws LoomlogError `generation-refused` */
export function changeStatus(
  { log, codec }: Host,
  generation: string,
  change: { readonly previous: GenerationStatus; readonly status: GenerationStatus; readonly share: number | null },
): Promise<ChangedGenerations> {
  return changeGenerations(log, codec, { type: 'GenerationStatusChanged', generation, ...change, at: Date.now() })
}

/** @throws LoomlogError `generation-refused` */
export async function promoteGeneration(
  { log, codec }: Host,
  wanted: Pick<GenerationPromoted, 'generation' | 'tenant' | 'cause'>,
): Promise<ChangedGenerations> {
  const known = await readGenerations(log, codec)
  const previous = liveGeneration(known, wanted.tenant)?.generation ?? null
  return changeGenerations(log, codec, { type: 'GenerationPromoted', ...wanted, previous, at: Date.now() })
}
