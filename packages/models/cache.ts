/**
 * Embeds each distinct text once: an LRU cache that also joins embeddings in flight. A text embedded one at a time and
 * in a batch makes two entries, since the bits differ. Failures aren't cached.
 *
 * A caller's signal ends only its own wait: other callers may share the embedding, and its vector is cached. A live
 * caller joins no background embedding, which may wait long for its slot.
 */
import { unlessAborted } from '@loomlog/runtime/unless-aborted'
import { noteTextCache } from '@loomlog/text-caches'
import type { Embedder, EmbedOptions } from './embedder.ts'

type Shape = NonNullable<EmbedOptions['shape']>
/** The options of the caller whose call reaches the embedder. Its signal isn't among them. */
type FirstCaller = Omit<EmbedOptions, 'shape' | 'signal'>

interface InFlight {
  readonly vector: Promise<Float32Array>
  readonly isBackground: boolean
}

export function cachedEmbedder(embedder: Embedder, { maxEntries }: { readonly maxEntries: number }): Embedder {
  /** From the least to the most recently used. */
  const known = new Map<string, Float32Array>()
  const inFlight = new Map<string, InFlight>()
  const texts = noteTextCache({ forgetTexts: () => known.clear() })

  function remember(key: string, vector: Float32Array): void {
    known.delete(key)
    known.set(key, vector)
    for (const oldest of known.keys()) {
      if (known.size <= maxEntries) return
      known.delete(oldest)
    }
  }

  /** One call for all texts that are neither cached nor in flight. */
  function start(texts: readonly string[], shape: Shape, caller: FirstCaller): void {
    const { isBackground = false } = caller
    const missing = [...new Set(texts)].filter((text) => {
      const key = keyOf(shape, text)
      const joined = inFlight.get(key)
      return !known.has(key) && (joined === undefined || (joined.isBackground && !isBackground))
    })
    if (missing.length === 0) return
    const vectors = embedder.embed(missing, { ...caller, shape })
    for (const [at, text] of missing.entries()) {
      const key = keyOf(shape, text)
      const started = { vector: vectors.then((all) => all[at] as Float32Array), isBackground }
      inFlight.set(key, started)
      started.vector
        .then((found) => remember(key, found))
        .catch(() => undefined)
        .finally(() => inFlight.get(key) === started && inFlight.delete(key))
    }
  }

  async function vectorOf(text: string, shape: Shape): Promise<Float32Array> {
    const key = keyOf(shape, text)
    const here = known.get(key)
    if (here) remember(key, here)
    const vector = here ?? (await inFlight.get(key)?.vector)
    if (!vector) throw new Error('a text is awaited whose embedding never started')
    // A copy, since a caller may change its vector.
    return vector.slice()
  }

  return {
    vectorSpace: embedder.vectorSpace,
    isBehindEndpoint: embedder.isBehindEndpoint ?? false,
    isFast: embedder.isFast ?? false,
    async embed(texts, { shape = 'one-at-a-time', signal, ...caller } = {}) {
      signal?.throwIfAborted()
      start(texts, shape, caller)
      const vectors = Promise.all(texts.map((text) => vectorOf(text, shape)))
      return signal ? unlessAborted(vectors, signal) : vectors
    },
    close() {
      // Held as long as the cache.
      texts.forgetTexts()
      return embedder.close()
    },
  }
}

function keyOf(shape: Shape, text: string): string {
  return `${shape}:${text}`
}
