/**
 * Several kinds, or what several queries found, in one answer. Kinds that were each searched by themselves have scores of their own, which
 * say nothing beside each other: so they are brought together by their places, the first of each first; and one evidence comes once.
 */
import type { Scored } from '../memory.ts'

/** After so many others of its kind, something counts half of the first. */
const half = 10

/** What several queries found, once, as well as any of them did. */
export function bestOfEach<T extends Scored>(found: readonly T[]): readonly T[] {
  const best = new Map<string, T>()
  for (const item of found) {
    const key = `${item.space} ${item.kind} ${item.id}`
    if (item.score > (best.get(key)?.score ?? Number.NEGATIVE_INFINITY)) best.set(key, item)
  }
  return [...best.values()]
}

/** Each scored by its place among those of its kind. @param found best first */
export function byPlace<T extends Scored>(found: readonly T[]): readonly T[] {
  const kinds = Map.groupBy(found, ({ kind }) => kind)
  return [...kinds.values()].flatMap((alike) => alike.map((item, place) => ({ ...item, score: half / (half + place) })))
}

/**
 * Without what has the very sources of something better of another kind, and so says nothing new: it is neither shown nor counted among
 * what was left out. @param found best first
 */
export function withoutRepeats<T extends Scored>(found: readonly T[]): readonly T[] {
  const given = new Map<string, Scored['kind']>()
  return found.filter(({ id, kind, space, sources }) => {
    const evidence = JSON.stringify([space, ...(sources.length > 0 ? sources.toSorted() : [id])])
    if (!given.has(evidence)) given.set(evidence, kind)
    return given.get(evidence) === kind
  })
}
