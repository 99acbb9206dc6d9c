/** Memoizes a pure function of a text, within bounds: the cache is cleared when it is full, and results for long texts are not cached. */

export interface CacheBounds {
  /** Texts in the cache at most. */
  readonly texts: number
  /** Longer texts are not cached. */
  readonly characters: number
}

/** @param compute pure */
export function memoize<T>({ texts, characters }: CacheBounds, compute: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>()
  return (text) => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const result = compute(text)
    if (text.length > characters) return result
    if (cache.size >= texts) cache.clear()
    cache.set(text, result)
    return result
  }
}
