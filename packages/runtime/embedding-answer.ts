/** The stage embedder's answer for a text: its vector, or the refusal. */
import { isLoomlogError } from '@loomlog/errors'
import type { AnswerRecorded } from '@loomlog/schemas/events'

export type VectorOrNone = Pick<AnswerRecorded, 'vector' | 'none'>

/** A text that the embedder refuses never gets a vector. The refusal is its answer. */
export async function vectorOrNone(embedding: Promise<Int8Array>): Promise<VectorOrNone> {
  try {
    const vector = await embedding
    return { vector: new Uint8Array(vector.buffer, vector.byteOffset, vector.length), none: null }
  } catch (error) {
    if (isLoomlogError(error, 'model-refused')) return { vector: null, none: error.message }
    throw error
  }
}
