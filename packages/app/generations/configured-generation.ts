/**
 * Generations as this installation would derive them: the first one of a new log, and the successor of the live one
 * after an upgrade.
 */
import type { Generations } from '@loomlog/generations/generations'
import { type GenerationPlan, planGeneration } from '@loomlog/generations/plan'
import { liveGeneration } from '@loomlog/generations/pointers'
import { adoptGeneration, readGenerations } from '@loomlog/generations/store'
import { type Upgrade, upgradeOf } from '@loomlog/generations/upgrade'
import { missingEmbedderReason } from '@loomlog/host/missing-embedder'
import type { Host } from '@loomlog/host/open'
import { configuredChoices, createDerivedTopics } from '@loomlog/host/stage'
import type { Processor } from '@loomlog/runtime/processor'

/** A log without a live generation gets the one that is configured here. */
export async function prepareGenerations(host: Host, processors: readonly Processor[]): Promise<Generations> {
  const known = await readGenerations(host.log, host.codec)
  if (liveGeneration(known, null) !== null) return known
  const choices = (processor: Processor) => configuredChoices(host, processor)
  const plan = planGeneration(processors, choices, host.embedder.vectorSpace.name)
  await createDerivedTopics(host, plan)
  return adoptGeneration(host.log, host.codec, plan)
}

/** The successor of everyone's live generation by the installed version; null: they are the same. */
export function upgrade(host: Host, known: Generations, processors: readonly Processor[]): Upgrade | null {
  const live = known.generations.get(liveGeneration(known, null)?.generation ?? '')
  if (!live) return null
  const defaults = (processor: Processor) => configuredChoices(host, processor)
  const missingEmbedder = (plan: GenerationPlan) => missingEmbedderReason(host, plan)
  return upgradeOf(known, live, { processors, defaults, missingEmbedder })
}

/**
 * The difference between this process's model and that of everyone's live generation, for people; null: there is none.
 * The generation stays as it is: a command in a shell with other settings must not change a memory.
 */
export function modelDifference(host: Host, known: Generations, processors: readonly Processor[]): string | null {
  const live = known.generations.get(liveGeneration(known, null)?.generation ?? '')
  const { model } = host
  if (!live || model === null) return null
  const stages = processors.map(
    ({ stage }) => known.derivations.get(live.derivations[stage] ?? '')?.recipe.model ?? null,
  )
  if (stages.some((recipe) => recipe?.name === model.name)) return null
  const names = [...new Set(stages.map((recipe) => recipe?.name ?? 'rules'))].join(', ')
  return (
    `LOOMLOG_MODEL is ${host.config.model}, but the live generation keeps its model, ${names}: ` +
    `loomlog generation start --set model=${host.config.model} derives one with the new model`
  )
}
