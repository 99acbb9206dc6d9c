/**
 * The generations that this process works under: the processors in the order of the flow, what its configuration chooses for a
 * new log, and what follows when a newer version is installed.
 */
import { consolidator } from '@loomlog/consolidator/processor'
import { LoomlogError } from '@loomlog/errors'
import { factExtractor } from '@loomlog/fact-extractor/processor'
import type { Generations } from '@loomlog/generations/generations'
import { generationBy } from '@loomlog/generations/named'
import { planGeneration } from '@loomlog/generations/plan'
import { answering } from '@loomlog/generations/pointers'
import { type Serving, servingFrom } from '@loomlog/generations/serving'
import { adoptGeneration, readGenerations } from '@loomlog/generations/store'
import { type Upgrade, upgradeOf } from '@loomlog/generations/upgrade'
import type { Host } from '@loomlog/host/open'
import { type NamedReading, type Reading, Readings } from '@loomlog/host/readings'
import { configuredChoices, createDerivedTopics } from '@loomlog/host/stage'
import type { Processor } from '@loomlog/runtime/processor'
import { topicLoom } from '@loomlog/topic-loom/processor'
import { traceWeaver } from '@loomlog/trace-weaver/processor'

/** In the order of the flow. */
export const processors: readonly Processor[] = [topicLoom, factExtractor, traceWeaver, consolidator]

/** For who derives: a log without a live generation gets the one that is configured here. */
export async function prepareGenerations(host: Host): Promise<Generations> {
  const known = await readGenerations(host.log, host.codec)
  if (answering(known, null) !== null) return known
  const choices = (processor: Processor) => configuredChoices(host, processor)
  const plan = planGeneration(processors, choices, host.embedder.space.name)
  await createDerivedTopics(host, plan)
  return adoptGeneration(host.log, host.codec, plan)
}

/** What the installed version makes of everyone's live generation; null: the same. */
export function upgrade(host: Host, known: Generations): Upgrade | null {
  const live = known.generations.get(answering(known, null)?.generation ?? '')
  return live ? upgradeOf(known, live, processors, (processor) => configuredChoices(host, processor)) : null
}

/**
 * In what this process's settings differ from everyone's live generation; null: in nothing. It stays as it is: one command in a shell
 * that is set up otherwise must not turn a memory around.
 */
export function unlikeSettings(host: Host, known: Generations): string | null {
  const live = known.generations.get(answering(known, null)?.generation ?? '')
  const { model } = host
  if (!live || model === null) return null
  const stages = processors.map(
    ({ stage }) => known.derivations.get(live.derivations[stage] ?? '')?.recipe.model ?? null,
  )
  if (stages.some((recipe) => recipe?.name === model.name)) return null
  const names = [...new Set(stages.map((recipe) => recipe?.name ?? 'rules'))].join(', ')
  return (
    `LOOMLOG_MODEL is ${host.config.model}, and the live generation is answered by ${names}, which it stays: ` +
    `loomlog generation start --set model=${host.config.model} derives it anew`
  )
}

/** The generation that answers a tenant (null: everyone); null: none does. */
export function liveServing(known: Generations, tenant: string | null): Serving | null {
  const live = known.generations.get(answering(known, tenant)?.generation ?? '')
  return live ? servingFrom(live) : null
}

/** For commands that show what was derived. @throws LoomlogError `not-found`; `generation-refused` where it is gone */
export async function servingOf(host: Host, chosen: { generation?: string; tenant?: string }): Promise<Serving> {
  const known = await readGenerations(host.log, host.codec)
  if (chosen.generation !== undefined) {
    const generation = generationBy(known, chosen.generation, chosen.tenant ?? null)
    const { id, status } = generation
    if (status !== 'removing' && status !== 'removed') return servingFrom(generation)
    throw new LoomlogError('generation-refused', `${id} is ${status}: its streams are gone`)
  }
  const live = liveServing(known, chosen.tenant ?? null)
  if (live === null) throw new LoomlogError('not-found', 'nothing is derived yet: loomlog ingest and loomlog up do it')
  return live
}

/** One answer's view of the memory: of who answers the tenant, or of a generation that is named. */
export async function withReading<T>(
  host: Host,
  tenant: string,
  work: (reading: Reading) => Promise<T>,
  named: NamedReading | null = null,
): Promise<T> {
  const readings = new Readings(host, { current: await readGenerations(host.log, host.codec) })
  try {
    return await work(await readings.of(tenant, named))
  } finally {
    await readings.close()
  }
}
