/**
 * The vector space of the word vectors. In a file of its own, so that a setting can name it without loading the
 * vectors.
 */
import type { VectorSpace } from '../embedder.ts'

export const wordVectorSpace: VectorSpace = { name: 'words-256', dimensions: 256 }
