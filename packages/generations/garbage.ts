/**
 * The derivations and views that only a retired generation uses. Those that a generation which isn't retired shares are kept, and a
 * live generation has no garbage.
 */
import { catalogue, physicalTopic, type TopicName } from '@loomlog/topics/catalogue'
import type { Generation, Generations } from './generations.ts'
import { answersFor } from './pointers.ts'
import { servingFrom } from './serving.ts'

export interface DeadStage {
  readonly stage: string
  readonly derivation: string
  /** The topic that it wrote, by its name in the log. */
  readonly topic: string
}

/** A view of a topic in a vector space. */
export interface DeadView {
  readonly name: TopicName
  /** The topic's name in the log. */
  readonly topic: string
  readonly embedder: string
}

export interface Garbage {
  readonly stages: readonly DeadStage[]
  readonly views: readonly DeadView[]
}

/** Null: the generation is not retired, or is live for a tenant. */
export function garbageOf(known: Generations, generation: Generation): Garbage | null {
  if (!isRetired(generation) || answersFor(known, generation.id).length > 0) return null
  const others = [...known.generations.values()].filter((other) => other.id !== generation.id && !isRetired(other))
  const usedDerivations = new Set(others.flatMap((other) => Object.values(other.derivations)))
  const usedViews = new Set(others.flatMap(viewsOf).map(viewKey))
  return {
    stages: servingFrom(generation)
      .stages.filter(({ derivation }) => !usedDerivations.has(derivation))
      .map(({ stage, derivation, writes }) => ({ stage, derivation, topic: writes })),
    views: viewsOf(generation).filter((view) => !usedViews.has(viewKey(view))),
  }
}

function isRetired({ status }: Generation): boolean {
  return status === 'retired' || status === 'removing' || status === 'removed'
}

function viewsOf({ derivations, viewEmbedder }: Generation): readonly DeadView[] {
  return catalogue
    .filter(({ readers }) => (readers as readonly string[]).includes('materializer'))
    .filter(({ name, isDerived }) => isDerived || name === 'utterances')
    .map(({ name, isDerived, writers: [writer] }) => {
      const topic = physicalTopic(name, isDerived ? (derivations[writer] ?? '') : null)
      return { name, topic, embedder: viewEmbedder }
    })
}

function viewKey({ topic, embedder }: DeadView): string {
  return `${topic} in ${embedder}`
}
