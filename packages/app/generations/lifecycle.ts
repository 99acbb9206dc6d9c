/** What people do with generations: start them, make them wait or go on, give them up, promote them, roll back. Each is an event in the log. */
import { LoomlogError } from '@loomlog/errors'
import type { Generations } from '@loomlog/generations/generations'
import type { GenerationPlan } from '@loomlog/generations/plan'
import { answering } from '@loomlog/generations/pointers'
import type { Serving } from '@loomlog/generations/serving'
import { changeGenerations, defineGeneration, type Naming, readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { Readings } from '@loomlog/host/readings'
import { createDerivedTopics } from '@loomlog/host/stage'
import type { GenerationPromoted, GenerationStatus } from '@loomlog/schemas/events'
import { behindMs, stageProgress, viewProgress } from '../progress.ts'

/** What is promoted answers for utterances up to this long ago, in ms of log time. */
const mostBehindMs = 5_000

export interface StartOptions {
  readonly plan: GenerationPlan
  readonly naming: Naming
  /** The share of the time that it may work beside live work; null: the default. */
  readonly share: number | null
  /** What is to be done where it exists already, in whatever status. */
  readonly ifStarted: 'refuse' | 'go on'
}

/** Defines the generation if it is new, and starts it. @throws LoomlogError `generation-refused` where it is started already */
export async function startGeneration(
  host: Host,
  { plan, naming, share, ifStarted }: StartOptions,
): Promise<Generations> {
  const before = await readGenerations(host.log, host.codec)
  const status = before.generations.get(plan.id)?.status ?? 'defined'
  if (ifStarted === 'go on' && status !== 'defined') return before
  await createDerivedTopics(host, plan)
  await defineGeneration(host.log, host.codec, plan, naming)
  try {
    return await changeStatus(host, plan.id, { previous: status, status: 'running', share })
  } catch (error) {
    const now = await readGenerations(host.log, host.codec)
    if (ifStarted === 'go on' && now.generations.get(plan.id)?.status === 'running') return now
    throw error
  }
}

/** @throws LoomlogError `generation-refused` */
export function changeStatus(
  { log, codec }: Host,
  generation: string,
  change: { readonly previous: GenerationStatus; readonly status: GenerationStatus; readonly share: number | null },
): Promise<Generations> {
  return changeGenerations(log, codec, { type: 'GenerationStatusChanged', generation, ...change, at: Date.now() })
}

/** @throws LoomlogError `generation-refused` */
export async function promoteGeneration(
  { log, codec }: Host,
  wanted: Pick<GenerationPromoted, 'generation' | 'tenant' | 'cause'>,
): Promise<Generations> {
  const known = await readGenerations(log, codec)
  const previous = answering(known, wanted.tenant)?.generation ?? null
  return changeGenerations(log, codec, { type: 'GenerationPromoted', ...wanted, previous, at: Date.now() })
}

interface Promotable {
  readonly host: Host
  readonly known: Generations
  readonly serving: Serving
  readonly readings: Readings
}

/** How far behind its slowest stage or view is. */
export async function behindBy(
  of: Promotable,
): Promise<{ readonly lag: number; readonly ms: number; readonly part: string }> {
  // All of them: where people go on talking, a stage is always a moment behind, and its views may be far behind.
  const parts = [...(await stageProgress(of)), ...(await viewProgress(of))]
  const found = await Promise.all(
    parts.map(async (part) => ({ part: part.name, lag: part.lag, ms: await behindMs(of.host, part) })),
  )
  const slowest = found.reduce((most, each) => (each.ms > most.ms ? each : most))
  return { ...slowest, lag: Math.max(...found.map(({ lag }) => lag)) }
}

/** Where people go on talking it never has everything: then, all but what came in the last moments, and all from before its start. */
export async function hasCaughtUp(of: Promotable): Promise<boolean> {
  const { lag, ms } = await behindBy(of)
  const startedAt = of.known.generations.get(of.serving.id)?.startedAt ?? Number.POSITIVE_INFINITY
  return lag <= 0 || (ms <= mostBehindMs && Date.now() - startedAt > mostBehindMs)
}

/** @throws LoomlogError `not-caught-up` */
export async function refuseUnlessCaughtUp(of: Promotable): Promise<void> {
  const { ms, part } = await behindBy(of)
  if (ms <= mostBehindMs) return
  const seconds = (value: number) => `${(value / 1_000).toFixed(1)} s`
  throw new LoomlogError(
    'not-caught-up',
    `${of.serving.id} is not caught up: ${part} is ${seconds(ms)} behind, and what is promoted is at most ${seconds(mostBehindMs)} behind`,
  )
}
