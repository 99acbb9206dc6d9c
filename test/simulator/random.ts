/** Seeded randomness: the same seed gives the same history. */
import { seededRandom } from '../seeded-random.ts'

/** Returns a whole number from 0, less than `below`. */
export type Random = (below: number) => number

export function randomOf(seed: number): Random {
  const next = seededRandom(seed)
  return (below) => Math.floor(next() * below)
}
