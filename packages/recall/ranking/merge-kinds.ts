/**
 * Merges the results of several queries and of several kinds of memory. Kinds that were searched by themselves have
 * scores that can't be compared, so they are merged by rank, the first of each kind first, and one piece of evidence
 * comes once.
 */
import { isOutdated, type ScoredMemory } from '../memory.ts'

/** The rank, from 0, whose score is half of the first. */
const halfScoreRank = 10

/**
 * Best first. Of equally likely memories, those that are replaced as a whole come last, and the newest comes first: it
 * may be a replacement.
 */
export function bestFirst(memories: readonly ScoredMemory[]): readonly ScoredMemory[] {
  const rank = (memory: ScoredMemory) => Number(isOutdated(memory))
  return memories.toSorted(
    (a, b) => b.score - a.score || rank(a) - rank(b) || (b.at ?? 0) - (a.at ?? 0) || (a.id < b.id ? -1 : 1),
  )
}

/** Each memory once, with its best score of all queries. */
export function withoutDuplicates<T extends ScoredMemory>(memories: readonly T[]): readonly T[] {
  const best = new Map<string, T>()
  for (const memory of memories) {
    const key = `${memory.space} ${memory.kind} ${memory.id}`
    if (memory.score > (best.get(key)?.score ?? Number.NEGATIVE_INFINITY)) best.set(key, memory)
  }
  return [...best.values()]
}

/** Each memory scored by its rank within its kind. @param memories best first */
export function scoredByRank<T extends ScoredMemory>(memories: readonly T[]): readonly T[] {
  const kinds = Map.groupBy(memories, ({ kind }) => kind)
  return [...kinds.values()].flatMap((sameKind) =>
    sameKind.map((memory, rank) => ({ ...memory, score: halfScoreRank / (halfScoreRank + rank) })),
  )
}

/**
 * Drops each memory whose sources are exactly those of a better memory of another kind: it adds no evidence, and is not
 * listed as left out.
 * @param memories best first
 */
export function withoutRepeats<T extends ScoredMemory>(memories: readonly T[]): readonly T[] {
  const kindOf = new Map<string, ScoredMemory['kind']>()
  return memories.filter(({ id, kind, space, sources }) => {
    const evidence = JSON.stringify([space, ...(sources.length > 0 ? sources.toSorted() : [id])])
    if (!kindOf.has(evidence)) kindOf.set(evidence, kind)
    return kindOf.get(evidence) === kind
  })
}
