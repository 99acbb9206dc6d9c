/**
 * What a retired generation holds that nobody else needs: the derivations that it alone is made of, and the views that only it is
 * searched in. What any other generation uses stays, unless that one is retired as well; and one that answers for anybody holds no
 * garbage at all.
 */
import { catalogue, physicalTopic, type TopicName } from '@loomlog/topics/catalogue'
import type { Generation, Generations } from './generations.ts'
import { answersFor } from './pointers.ts'
import { servingFrom } from './serving.ts'

export interface DeadStage {
  readonly stage: string
  readonly derivation: string
  /** The topic that it wrote, as it is called in the log. */
  readonly topic: string
}

/** A view of a topic in a vector space. */
export interface DeadView {
  readonly name: TopicName
  /** As it is called in the log. */
  readonly topic: string
  readonly embedder: string
}

export interface Garbage {
  readonly stages: readonly DeadStage[]
  readonly views: readonly DeadView[]
}

/** Null: it is not retired, or answers for somebody. */
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
