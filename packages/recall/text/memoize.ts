/**
 * Memoizes a pure function of a text, within bounds: a full cache drops its oldest quarter, and results for long texts
 * are not cached.
 */
import { noteTextCache } from '@loomlog/text-caches'

export interface CacheBounds {
  /** Characters of all texts in the cache at most: results grow with their texts. */
  readonly total: number
  /** Longer texts are not cached. */
  readonly longest: number
}

const droppedShare = 1 / 4
/** Of the entry of a short text. */
const leastCharacters = 50

/** @param compute pure */
export function memoize<T>({ total, longest }: CacheBounds, compute: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>()
  let characters = 0
  const forgetTexts = () => {
    cache.clear()
    characters = 0
  }
  const memoized = (text: string) => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const result = compute(text)
    if (text.length > longest) return result
    if (characters + sizeOf(text) > total) {
      for (const oldest of cache.keys()) {
        if (characters <= (1 - droppedShare) * total) break
        cache.delete(oldest)
        characters -= sizeOf(oldest)
      }
    }
    cache.set(text, result)
    characters += sizeOf(text)
    return result
  }
  return noteTextCache(Object.assign(memoized, { forgetTexts }))
}

function sizeOf(text: string): number {
  return Math.max(text.length, leastCharacters)
}
