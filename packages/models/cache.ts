/**
 * Embeds each distinct text once: an LRU cache that also joins embeddings in flight. A text embedded one at a time and in a batch makes two
 * entries, since the bits differ. Failures aren't cached.
 *
 * A caller's signal ends only its own wait: other callers may share the embedding, and its vector is cached.
 */
import type { Embedder, EmbedOptions } from './embedder.ts'

type Shape = NonNullable<EmbedOptions['shape']>

export function cachedEmbedder(embedder: Embedder, { maxEntries }: { readonly maxEntries: number }): Embedder {
  /** From the least to the most recently used. */
  const known = new Map<string, Float32Array>()
  const underWay = new Map<string, Promise<Float32Array>>()

  function remember(key: string, vector: Float32Array): void {
    known.delete(key)
    known.set(key, vector)
    for (const oldest of known.keys()) {
      if (known.size <= maxEntries) return
      known.delete(oldest)
    }
  }

  /** One call for all texts that are neither cached nor in flight. */
  function start(texts: readonly string[], shape: Shape, forSpace: string | undefined): void {
    const missing = [...new Set(texts)].filter((text) => {
      const key = keyOf(shape, text)
      return !known.has(key) && !underWay.has(key)
    })
    if (missing.length === 0) return
    const vectors = embedder.embed(missing, { shape, forSpace })
    for (const [at, text] of missing.entries()) {
      const key = keyOf(shape, text)
      const vector = vectors.then((all) => all[at] as Float32Array)
      underWay.set(key, vector)
      vector
        .then((found) => remember(key, found))
        .catch(() => undefined)
        .finally(() => underWay.delete(key))
    }
  }

  async function vectorOf(text: string, shape: Shape): Promise<Float32Array> {
    const key = keyOf(shape, text)
    const here = known.get(key)
    if (here) remember(key, here)
    const vector = here ?? (await underWay.get(key))
    if (!vector) throw new Error('a text is awaited whose embedding never started')
    // A copy, since a caller may change its vector.
    return vector.slice()
  }

  return {
    space: embedder.space,
    async embed(texts, { shape = 'one-at-a-time', signal, forSpace } = {}) {
      signal?.throwIfAborted()
      start(texts, shape, forSpace)
      return unlessAborted(Promise.all(texts.map((text) => vectorOf(text, shape))), signal)
    },
    close: () => embedder.close(),
  }
}

function keyOf(shape: Shape, text: string): string {
  return `${shape}:${text}`
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
