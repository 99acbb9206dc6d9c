/**
 * The derivations and views that only a retired generation uses. Those that a generation which isn't retired shares are
 * kept, and a live generation has no garbage.
 */
import { LoomlogError } from '@loomlog/errors'
import type { TopicSpec } from '@loomlog/topics/catalogue'
import type { Generation, Generations } from './generations.ts'
import { liveScopes } from './pointers.ts'
import { servingGeneration } from './serving-generation.ts'

export interface UnusedStage {
  readonly stage: string
  readonly derivation: string
  /** The topic that it wrote, by its name in the log. */
  readonly topic: string
}

/** A view of a topic in a vector space. */
export interface UnusedView {
  /** The topic's name in the log. */
  readonly topic: string
  readonly embedder: string
}

export interface Garbage {
  readonly stages: readonly UnusedStage[]
  readonly views: readonly UnusedView[]
}

/**
 * Null: the generation is not retired, or is live for a tenant.
 * @param topics those that this process knows: loomlog's own, and those of its extensions
 * @throws LoomlogError `generation-refused` where the generation has a stage whose extension this process lacks
 */
export function garbageOf(known: Generations, generation: Generation, topics: readonly TopicSpec[]): Garbage | null {
  if (!isRetired(generation) || liveScopes(known, generation.id).length > 0) return null
  const strange = Object.keys(generation.derivations).find(
    (stage) => !topics.some(({ writers }) => writers.includes(stage)),
  )
  if (strange !== undefined) {
    const message = `the data of its stage ${strange} is unknown here: name its extension in LOOMLOG_EXTENSIONS`
    throw new LoomlogError('generation-refused', `${generation.id} can't be removed: ${message}`)
  }
  const others = [...known.generations.values()].filter((other) => other.id !== generation.id && !isRetired(other))
  const usedDerivations = new Set(others.flatMap((other) => Object.values(other.derivations)))
  const usedViews = new Set(others.flatMap((other) => viewsOf(other, topics)).map(viewKey))
  return {
    stages: servingGeneration(generation, topics)
      .stages.filter(({ derivation }) => !usedDerivations.has(derivation))
      .map(({ stage, derivation, writes }) => ({ stage, derivation, topic: writes })),
    views: viewsOf(generation, topics).filter((view) => !usedViews.has(viewKey(view))),
  }
}

function isRetired({ status }: Generation): boolean {
  return status === 'retired' || status === 'removing' || status === 'removed'
}

function viewsOf(generation: Generation, topics: readonly TopicSpec[]): readonly UnusedView[] {
  const serving = servingGeneration(generation, topics)
  return topics
    .filter((spec) => spec.derivedFrom !== null || spec.name === 'utterances')
    .filter((spec) => spec.readers.includes('materializer') && serving.has(spec))
    .map((spec) => ({ topic: serving.topic(spec), embedder: generation.viewEmbedder }))
}

function viewKey({ topic, embedder }: UnusedView): string {
  return `${topic} in ${embedder}`
}
