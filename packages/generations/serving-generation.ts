/**
 * The topics and the view embedder of a generation, for readers. They come from the log, so a process with other
 * settings can still read and search the memory. Only a process that derives needs the same recipe.
 */
import type { GenerationDefined } from '@loomlog/schemas/events'
import { physicalTopic, type TopicSpec } from '@loomlog/topics/catalogue'

export interface ServingStage {
  readonly stage: string
  readonly derivation: string
  /** Topics that the stage reads and writes, by their names in the log. */
  readonly reads: string
  readonly writes: string
}

export interface ServingGeneration {
  readonly id: string
  /** In the order of the topics. */
  readonly stages: readonly ServingStage[]
  readonly viewEmbedder: string
  /** Whether the generation has this topic: it lacks those of stages that were added later. */
  has(spec: TopicSpec): boolean
  /** The log's name of a topic under this generation, which has it. */
  topic(spec: TopicSpec): string
}

/** @param topics those that this process knows: loomlog's own, and those of its extensions */
export function servingGeneration(
  { id, derivations, viewEmbedder }: Pick<GenerationDefined, 'id' | 'derivations' | 'viewEmbedder'>,
  topics: readonly TopicSpec[],
): ServingGeneration {
  const derivationOf = ({ derivedFrom, writers: [writer = ''] }: TopicSpec) =>
    derivedFrom === null ? null : (derivations[writer] ?? null)
  const has = (spec: TopicSpec) => spec.derivedFrom === null || derivationOf(spec) !== null
  const topic = (spec: TopicSpec) => physicalTopic(spec, derivationOf(spec))
  const stages = topics.flatMap((spec) => {
    const [derivation, source] = [derivationOf(spec), topics.find(({ name }) => name === spec.derivedFrom)]
    if (derivation === null || source === undefined) return []
    return [{ stage: spec.writers[0] ?? '', derivation, reads: topic(source), writes: topic(spec) }]
  })
  return { id, stages, viewEmbedder, has, topic }
}
