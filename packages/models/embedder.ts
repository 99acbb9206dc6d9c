/**
 * The Embedder port: texts in, unit vectors out, in the order of the texts. Every vector belongs to a named vector
 * space. Vectors, thresholds and indexes of different vector spaces don't mix.
 *
 * Every adapter guarantees:
 * 1. Vectors have the dimensions of the vector space and length 1.
 * 2. A text without anything to embed (empty, white space only) has the zero vector, whose cosine with anything is 0.
 * 3. A text is read up to the adapter's limit; the rest is ignored.
 */
import { LoomlogError } from '@loomlog/errors'

export interface VectorSpace {
  /** Only vectors with the same name are comparable: `words-256`. */
  readonly name: string
  readonly dimensions: number
}

export interface EmbedOptions {
  /**
   * `one-at-a-time` (the default): a text's vector never depends on the other texts of the call; decisions need that.
   * `batched` is faster, may differ in the last bits from batch to batch, and is for measurements.
   */
  readonly shape?: 'one-at-a-time' | 'batched' | undefined
  readonly signal?: AbortSignal | undefined
  /** The memory space that asks: spaces share the in-flight slots fairly. */
  readonly forSpace?: string | undefined
  /** True for derivations of generations that are not live: live calls get their slots first. */
  readonly isBackground?: boolean | undefined
  /** Runs each request to an endpoint once it holds its slot. */
  readonly whileInFlight?: (<T>(request: () => Promise<T>) => Promise<T>) | undefined
  /** Called when a request is sent to an endpoint. */
  readonly onCall?: (() => void) | undefined
}

export interface Embedder {
  readonly vectorSpace: VectorSpace
  /** Whether it waits for an endpoint. Otherwise it takes the CPU of this process. Default: no. */
  readonly isBehindEndpoint?: boolean
  /** Whether a text takes some tenth of a millisecond, so that a request may embed hundreds. Default: no. */
  readonly isFast?: boolean
  /**
   * @throws ModelUnavailable where trying again may help, LoomlogError `model-refused` for a text that can't be
   * embedded, `embedder-mismatch` for vectors of another size than declared, or the signal's reason
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>
  /** Idempotent. Calls in flight fail. */
  close(): Promise<void>
}

/**
 * The part that adapters share: cuts the texts, passes the non-empty ones to `embedAll`, checks the vectors and scales
 * them to length 1.
 */
export async function embedTexts(
  texts: readonly string[],
  vectorSpace: VectorSpace,
  maxCharacters: number,
  embedAll: (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = texts.map(() => new Float32Array(vectorSpace.dimensions))
  const places = [...texts.keys()].filter((place) => texts[place]?.trim() !== '')
  const found = await embedAll(places.map((place) => cut(texts[place] ?? '', maxCharacters)))
  if (found.length !== places.length) {
    throw new LoomlogError(
      'embedder-mismatch',
      `${vectorSpace.name}: ${found.length} vectors for ${places.length} texts`,
    )
  }
  for (const [at, place] of places.entries()) vectors[place] = unit(found[at] ?? [], vectorSpace)
  return vectors
}

/** Half a surrogate pair at the cut becomes U+FFFD. */
function cut(text: string, maxCharacters: number): string {
  return text.slice(0, maxCharacters).toWellFormed()
}

function unit(vector: ArrayLike<number>, vectorSpace: VectorSpace): Float32Array {
  if (vector.length !== vectorSpace.dimensions) {
    throw new LoomlogError(
      'embedder-mismatch',
      `${vectorSpace.name} is declared with ${vectorSpace.dimensions} dimensions, and a vector has ${vector.length}`,
    )
  }
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += (vector[i] ?? 0) ** 2
  const length = Math.sqrt(squares)
  if (!Number.isFinite(length))
    throw new LoomlogError('embedder-mismatch', `${vectorSpace.name}: a vector is not of numbers`)
  return Float32Array.from(vector, (component) => (length === 0 ? 0 : component / length))
}
