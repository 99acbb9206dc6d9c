/**
 * The caches of this process that hold people's texts, or results by texts. A forgetting empties all of them: such a
 * cache doesn't know which space a text is from. Not among them yet: the caches of
 * packages/language and of words in packages/views.
 */
export interface TextCache {
  forgetTexts(): void
}

/** Weak, so that a cache lives no longer than its owner. */
const caches = new Set<WeakRef<TextCache>>()

export function noteTextCache<T extends TextCache>(cache: T): T {
  for (const known of caches) if (known.deref() === undefined) caches.delete(known)
  caches.add(new WeakRef(cache))
  return cache
}

export function forgetTexts(): void {
  for (const known of caches) known.deref()?.forgetTexts()
}
