/**
 * The live generation, as services that run alone see it: read from the log, waited for, and checked against what this process
 * would do by its own configuration. A service that would make something else of the same input must not start.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { PlannedStage } from '@loomlog/generations/plan'
import { answering } from '@loomlog/generations/pointers'
import { derivationId } from '@loomlog/generations/recipe'
import { type Serving, servingFrom } from '@loomlog/generations/serving'
import { readGenerations } from '@loomlog/generations/store'
import type { Processor } from '@loomlog/runtime/processor'
import { canonicalJson } from '@loomlog/schemas/ids'
import { topicSpec } from '@loomlog/topics/catalogue'
import type { Host } from './open.ts'
import { configuredRecipe, promptsOf } from './stage.ts'

export interface Live {
  readonly serving: Serving
  /** The recipes' text, by derivation. */
  readonly recipes: ReadonlyMap<string, string>
}

const lookMs = 1_000

/** Null if the signal aborts before there is one. @param onTrouble told of what may pass, and is tried again */
export async function waitForLive(
  { log, codec }: Pick<Host, 'log' | 'codec'>,
  signal: AbortSignal,
  onTrouble: (error: LoomlogError) => void,
): Promise<Live | null> {
  while (!signal.aborted) {
    try {
      const known = await readGenerations(log, codec)
      const live = known.generations.get(answering(known, null)?.generation ?? '')
      const recipes = new Map([...known.derivations].map(([id, { recipe }]) => [id, canonicalJson(recipe)]))
      if (live !== undefined) return { serving: servingFrom(live), recipes }
    } catch (error) {
      if (!isLoomlogError(error) || !error.retryable) throw error
      onTrouble(error)
    }
    await sleep(lookMs, undefined, { signal }).catch(() => {})
  }
  return null
}

/** The processor's part in the live generation. @throws LoomlogError `recipe-differs` */
export function liveStage(host: Host, { serving, recipes }: Live, processor: Processor): PlannedStage {
  const stage = serving.stages.find((served) => served.stage === processor.stage)
  if (!stage) throw new LoomlogError('not-found', `the live generation ${serving.id} has no ${processor.stage}`)
  const [writer] = topicSpec(processor.reads).writers
  const upstream = serving.stages.find((served) => served.stage === writer)?.derivation ?? null
  const recipe = configuredRecipe(host, processor, upstream)
  const { derivation, reads, writes } = stage
  if (derivationId(recipe) === derivation)
    return { processor, recipe, derivation, prompts: promptsOf(processor), reads, writes }
  throw new LoomlogError(
    'recipe-differs',
    `${processor.stage} is to derive ${derivation}, by ${recipes.get(derivation)}; the settings of this process make ` +
      `${derivationId(recipe)}, by ${canonicalJson(recipe)}`,
  )
}

/** @throws LoomlogError `embedder-mismatch` */
export function checkViewEmbedder({ embedder }: Host, { serving }: Live): void {
  if (serving.viewEmbedder === embedder.space.name) return
  const message = `the live generation is embedded by ${serving.viewEmbedder}, and this process has ${embedder.space.name}`
  throw new LoomlogError('embedder-mismatch', message)
}
