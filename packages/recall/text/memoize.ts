/** Memoizes a pure function of a text, within bounds: a full cache drops its oldest quarter, and results for long texts are not cached. */

export interface CacheBounds {
  /** Texts in the cache at most. */
  readonly texts: number
  /** Longer texts are not cached. */
  readonly characters: number
}

const droppedShare = 1 / 4

/** @param compute pure */
export function memoize<T>({ texts, characters }: CacheBounds, compute: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>()
  return (text) => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const result = compute(text)
    if (text.length > characters) return result
    const oldest = cache.size < texts ? [] : [...cache.keys()].slice(0, Math.ceil(texts * droppedShare))
    for (const each of oldest) cache.delete(each)
    cache.set(text, result)
    return result
  }
}
