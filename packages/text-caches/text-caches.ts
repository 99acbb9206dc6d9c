/**
 * The caches of this process that hold people's texts, words of them, or results by texts. A forgetting empties all of
 * them: such a cache doesn't know which space a text is from. A cache of one space, which forgets with its space, needs
 * no entry here.
 */
export interface TextCache {
  /** Between any two calls of its owner. The next call computes what it needs again. */
  forgetTexts(): void
}

/** Weak, so that a cache lives no longer than its owner. */
const caches = new Set<WeakRef<TextCache>>()

/** @returns the cache, which its owner must hold */
export function noteTextCache<T extends TextCache>(cache: T): T {
  for (const known of caches) if (known.deref() === undefined) caches.delete(known)
  caches.add(new WeakRef(cache))
  return cache
}

/** Results by text, or by word. A forgetting empties it. */
export class TextMap<Result> extends Map<string, Result> implements TextCache {
  constructor() {
    super()
    noteTextCache(this)
  }

  forgetTexts(): void {
    this.clear()
  }
}

export function forgetTexts(): void {
  for (const known of caches) known.deref()?.forgetTexts()
  // V8 holds the text of the last match, as `RegExp.input`.
  ''.search(/^/)
}
