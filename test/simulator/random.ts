/** Chance by seed: the same seed gives the same history. */
import { seeded } from '../seeded.ts'

/** A whole number from 0 to below. */
export type Random = (below: number) => number

export function randomOf(seed: number): Random {
  const next = seeded(seed)
  return (below) => Math.floor(next() * below)
}
