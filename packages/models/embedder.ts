/**
 * The Embedder port: texts in, unit vectors out, in the order of the texts. Every vector belongs to a named space, and vectors,
 * thresholds and indexes of different spaces don't mix.
 *
 * What always holds, in every adapter:
 * 1. Vectors have the space's dimensions and length 1.
 * 2. A text without anything to embed (empty, white space only) has the zero vector, whose cosine with anything is 0.
 * 3. A text is read up to the adapter's limit; the rest of it doesn't count.
 */
import { LoomlogError } from '@loomlog/errors'

export interface VectorSpace {
  /** What the vectors are comparable within: `use-lite-512`. */
  readonly name: string
  readonly dimensions: number
}

export interface EmbedOptions {
  /**
   * `one-at-a-time` (the default): a text's vector never depends on what it is asked together with; decisions need that.
   * `batched` may differ in the last bits from batch to batch, and is for views.
   */
  readonly shape?: 'one-at-a-time' | 'batched' | undefined
  readonly signal?: AbortSignal | undefined
  /** The space that it is for: those that wait for a place take turns. */
  readonly forSpace?: string | undefined
}

export interface Embedder {
  readonly space: VectorSpace
  /**
   * @throws ModelUnavailable where trying again may help, LoomlogError `model-refused` for a text that can't be embedded,
   * `embedder-mismatch` for vectors of another size than declared, or the signal's reason
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>
  /** Idempotent. Whatever is still under way fails. */
  close(): Promise<void>
}

/**
 * What the adapters share: cuts the texts, has `embedAll` embed those with something in them, checks what came back and brings
 * it to length 1.
 */
export async function embedTexts(
  texts: readonly string[],
  space: VectorSpace,
  maxCharacters: number,
  embedAll: (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = texts.map(() => new Float32Array(space.dimensions))
  const places = [...texts.keys()].filter((place) => texts[place]?.trim() !== '')
  const found = await embedAll(places.map((place) => cut(texts[place] ?? '', maxCharacters)))
  if (found.length !== places.length) {
    throw new LoomlogError('embedder-mismatch', `${space.name}: ${found.length} vectors for ${places.length} texts`)
  }
  for (const [at, place] of places.entries()) vectors[place] = unit(found[at] ?? [], space)
  return vectors
}

/** Never leaves half a surrogate pair behind. */
function cut(text: string, maxCharacters: number): string {
  return text.slice(0, maxCharacters).toWellFormed()
}

function unit(vector: ArrayLike<number>, space: VectorSpace): Float32Array {
  if (vector.length !== space.dimensions) {
    throw new LoomlogError(
      'embedder-mismatch',
      `${space.name} is declared with ${space.dimensions} dimensions, and a vector has ${vector.length}`,
    )
  }
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += (vector[i] ?? 0) ** 2
  const length = Math.sqrt(squares)
  if (!Number.isFinite(length)) throw new LoomlogError('embedder-mismatch', `${space.name}: a vector is not of numbers`)
  return Float32Array.from(vector, (component) => (length === 0 ? 0 : component / length))
}
