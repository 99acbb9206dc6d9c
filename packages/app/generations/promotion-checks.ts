/**
 * The checks of a promotion: a generation that is behind, or that has fewer than half of the live one's facts or
 * entries, doesn't become live without `--anyway`. A rollback is checked for its lag only: a person returns to a memory
 * that they know.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Generations } from '@loomlog/generations/generations'
import { liveGeneration, replacedAt } from '@loomlog/generations/pointers'
import { type ServingGeneration, servingGeneration } from '@loomlog/generations/serving-generation'
import type { GenerationReader } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import { behindMs, stageProgress, viewProgress } from '../progress.ts'
import { lossOf, memorySize } from './memory-size.ts'

/** How much further behind than the live one a generation may be when it is promoted, in ms of log time. */
export const mostBehindMs = 5_000

interface PromotionCandidate {
  readonly host: Host
  readonly known: Generations
  readonly serving: ServingGeneration
  readonly generationReader: GenerationReader
}

interface SlowestPart {
  readonly ms: number
  readonly part: string
  /** Whether this process can't derive it. */
  readonly isFrozen: boolean
  /** The largest lag of all parts. */
  readonly lag: number
}

/** The stage or view that is furthest behind in time. */
export async function furthestBehind(of: PromotionCandidate): Promise<SlowestPart> {
  // Views count as well: a stage may be only a moment behind while its views are far behind.
  const parts = [...(await stageProgress(of)), ...(await viewProgress(of))]
  const found = await Promise.all(
    parts.map(async (part) => {
      const { name, lag, frozen } = part
      return { part: name, lag, isFrozen: frozen !== null, ms: await behindMs(of.host, part) }
    }),
  )
  const slowest = found.reduce((most, each) => (each.ms > most.ms ? each : most))
  return { ...slowest, lag: Math.max(...found.map(({ lag }) => lag)) }
}

/**
 * Under continuous writes a generation never has everything: it may lack the last seconds, but nothing from before its
 * start.
 */
export async function hasCaughtUp(of: PromotionCandidate): Promise<boolean> {
  const { lag, ms } = await furthestBehind(of)
  const { startedAt = null, definedAt = Number.POSITIVE_INFINITY } = of.known.generations.get(of.serving.id) ?? {}
  const startedMs = Date.now() - (startedAt ?? definedAt)
  if (lag <= 0) return true
  return startedMs > Math.max(ms, mostBehindMs) && ms <= (await mostAllowedMs(of, null))
}

/**
 * The allowance is relative to the live generation, which is behind itself if writes come faster than its stages
 * derive. Both may even share the slow stage.
 */
async function mostAllowedMs(of: PromotionCandidate, tenant: string | null): Promise<number> {
  const live = of.known.generations.get(liveGeneration(of.known, tenant)?.generation ?? of.serving.id)
  if (live === undefined || live.id === of.serving.id) return mostBehindMs
  const { ms } = await furthestBehind({ ...of, serving: servingGeneration(live, of.host.topics) })
  return mostBehindMs + ms
}

/**
 * @param cause A generation that was live before is rolled back to where it lacks only records from after its
 * replacement: it derives them once it is live again. Beside live work it may be far behind in time, with a few records
 * to go.
 * @throws LoomlogError `not-caught-up`
 */
export async function refuseUnlessCaughtUp(
  of: PromotionCandidate,
  { tenant, cause }: { readonly tenant: string | null; readonly cause: 'promoted' | 'rolledBack' },
): Promise<void> {
  const { id } = of.serving
  const slowest = await furthestBehind(of)
  const most = await mostAllowedMs(of, tenant)
  if (slowest.ms <= most) return
  const replaced = cause === 'rolledBack' ? replacedAt(of.known, id, tenant) : null
  if (replaced !== null && !slowest.isFrozen && slowest.ms <= Date.now() - replaced) return
  const seconds = (value: number) => `${(value / 1_000).toFixed(1)} s`
  const advice =
    "Try again; where busy servers don't catch up, pause it, and loomlog generation start " +
    `${id} --wait derives it beside them. --anyway makes it live as it is`
  throw new LoomlogError(
    'not-caught-up',
    `${id} has not caught up: ${slowest.part} is ${seconds(slowest.ms)} behind, and a promotion allows ${seconds(most)}, ${seconds(mostBehindMs)} more than the live one is. ${advice}`,
  )
}

/**
 * Why the promotion would lose much of the memory; null: it wouldn't. The text names both sizes, and the commands that
 * show the differences and promote the generation in spite of it.
 */
export async function lossByPromotion(of: PromotionCandidate, tenant: string | null): Promise<string | null> {
  const live = of.known.generations.get(liveGeneration(of.known, tenant)?.generation ?? of.serving.id)
  if (live === undefined || live.id === of.serving.id) return null
  const size = async (serving: ServingGeneration) => memorySize(await of.generationReader.viewsOf(serving), tenant)
  const loss = lossOf(await size(servingGeneration(live, of.host.topics)), await size(of.serving))
  if (loss === null) return null
  const [{ id }, scope] = [of.serving, tenant === null ? '' : ` --tenant ${tenant}`]
  return `${id} has ${loss}: a promotion needs at least half of each. loomlog generation diff ${live.id} ${id} shows the differences, and loomlog generation promote ${id}${scope} --anyway makes it live as it is`
}

/** @throws LoomlogError `generation-refused` */
export async function refuseLoss(of: PromotionCandidate, tenant: string | null): Promise<void> {
  const loss = await lossByPromotion(of, tenant)
  if (loss !== null) throw new LoomlogError('generation-refused', loss)
}
