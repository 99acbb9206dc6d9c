/**
 * What readers need of a generation: its topics and its view embedder. It comes from the log, so a memory that was made with other
 * settings than those of this process can still be read, searched and shown; only who derives must bring the same recipe.
 */
import type { GenerationDefined } from '@loomlog/schemas/events'
import { catalogue, inputOf, physicalTopic, type TopicName } from '@loomlog/topics/catalogue'

export interface ServingStage {
  readonly stage: string
  readonly derivation: string
  /** The topics it reads and writes, as they are called in the log. */
  readonly reads: string
  readonly writes: string
}

export interface Serving {
  readonly id: string
  /** In the order of the catalogue. */
  readonly stages: readonly ServingStage[]
  readonly viewEmbedder: string
  /** A topic of the catalogue as it is called in the log under this generation. */
  topic(name: TopicName): string
}

export function servingFrom(defined: Pick<GenerationDefined, 'id' | 'derivations' | 'viewEmbedder'>): Serving {
  const derived = catalogue.filter((topic) => topic.isDerived)
  const topic = (name: TopicName) => {
    const writer = derived.find((spec) => spec.name === name)?.writers[0]
    return physicalTopic(name, writer === undefined ? null : (defined.derivations[writer] ?? null))
  }
  const stages = derived.map(({ name, writers: [stage] }) => ({
    stage,
    derivation: defined.derivations[stage] ?? '',
    reads: topic(inputOf(stage)),
    writes: topic(name),
  }))
  return { id: defined.id, stages, viewEmbedder: defined.viewEmbedder, topic }
}
