/**
 * The topics and the view embedder of a generation, for readers. They come from the log, so a process with other settings can still
 * read and search the memory. Only a process that derives needs the same recipe.
 */
import type { GenerationDefined } from '@loomlog/schemas/events'
import { catalogue, inputOf, physicalTopic, type TopicName } from '@loomlog/topics/catalogue'

export interface ServingStage {
  readonly stage: string
  readonly derivation: string
  /** Topics that the stage reads and writes, by their names in the log. */
  readonly reads: string
  readonly writes: string
}

export interface Serving {
  readonly id: string
  /** In the order of the catalogue. */
  readonly stages: readonly ServingStage[]
  readonly viewEmbedder: string
  /** The log's name of a catalogue topic under this generation. */
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
