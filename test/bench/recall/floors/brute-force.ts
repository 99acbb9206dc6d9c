/**
 * The floor of a vector search: a question and its statement against the space's vectors, in a plain loop in memory.
 */
import { utterances } from '@loomlog/views/tables/utterances'
import { seededRandom } from '../../../seeded-random.ts'
import { rowsOf, type Sizes, vectorSpace } from '../crowded-shard.ts'
import { unitVector } from '../synthetic-memories.ts'

const { dimensions } = vectorSpace

/** @param sizes of the shard; the space has one vector for each utterance @returns a function that does one search */
export function bruteForce(sizes: Sizes): () => Promise<readonly number[]> {
  const random = seededRandom(4)
  const count = Math.round((rowsOf(utterances, sizes) * sizes.space) / sizes.shard)
  const vectors = Float32Array.from({ length: count * dimensions }, () => random() - 0.5)
  return async () => {
    return [unitVector(dimensions, random), unitVector(dimensions, random)].map((query) => {
      let best = -Infinity
      for (let row = 0; row < count; row += 1) {
        let sum = 0
        for (let at = 0; at < dimensions; at += 1) sum += (query[at] ?? 0) * (vectors[row * dimensions + at] ?? 0)
        best = Math.max(best, sum)
      }
      return best
    })
  }
}
