/**
 * Candidate values: one number for each candidate, in the order of the pool, and the operations on such arrays. Shares
 * and ranks mean the same in every memory, unlike raw scores. A neighbourhood spreads values over the turns around each
 * candidate. A recall computes some sixty arrays of up to a thousand values, so the operations are loops over typed
 * arrays.
 */
import type { Candidate } from '../search/candidates.ts'

export type CandidateValues = Float64Array

export function valuesOf(
  pool: readonly Candidate[],
  value: (candidate: Candidate, at: number) => number,
): CandidateValues {
  const values = new Float64Array(pool.length)
  for (let at = 0; at < pool.length; at += 1) values[at] = value(pool[at] as Candidate, at)
  return values
}

/** Each value as a share of the highest; negative values count as 0. */
export function sharesOfHighest(values: CandidateValues): CandidateValues {
  let most = 1e-9
  for (let at = 0; at < values.length; at += 1) most = Math.max(most, values[at] as number)
  const found = new Float64Array(values.length)
  for (let at = 0; at < values.length; at += 1) found[at] = Math.max(0, values[at] as number) / most
  return found
}

/** Each value times the value of the same candidate in the other array. */
export function products(values: CandidateValues, others: CandidateValues): CandidateValues {
  const found = new Float64Array(values.length)
  for (let at = 0; at < values.length; at += 1) found[at] = (values[at] as number) * (others[at] as number)
  return found
}

/**
 * Which candidates are adjacent. The pool is in the order of conversations and time, so the utterances of a
 * conversation are one range of it; other kinds of memory have no neighbours. Most values are 0, so spreading starts
 * from the others.
 */
export class Neighbourhood {
  /** By candidate, the ends of the range of its conversation. */
  readonly #first: Int32Array
  readonly #last: Int32Array

  constructor(pool: readonly Candidate[]) {
    const last = Int32Array.from(pool.keys())
    const first = last.slice()
    const isUtterance = (at: number) => pool[at]?.memory.kind === 'utterance'
    const continues = (at: number) =>
      isUtterance(at) && isUtterance(at - 1) && pool[at]?.memory.conversation === pool[at - 1]?.memory.conversation
    for (let at = 1; at < pool.length; at++) if (continues(at)) first[at] = first[at - 1] ?? at
    for (let at = pool.length - 1; at > 0; at--) if (first[at] !== at) last[at - 1] = last[at] ?? at
    this.#first = first
    this.#last = last
  }

  /** The value of the previous or next candidate of the same conversation; 0 if there is none. */
  beside(values: CandidateValues, step: -1 | 1): CandidateValues {
    const found = new Float64Array(values.length)
    for (let at = 0; at < values.length; at += 1) {
      if (this.#holds(at, at + step)) found[at] = values[at + step] as number
    }
    return found
  }

  /** Each value with those around it, summed. Weights are by distance: `[1, 0.5]` adds half of either neighbour. */
  sum(values: CandidateValues, weights: readonly number[]): CandidateValues {
    const sums = new Float64Array(values.length)
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] as number
      if (value === 0) continue
      const { from, to } = this.#around(at, weights.length - 1)
      for (let other = from; other <= to; other += 1) {
        sums[other] = (sums[other] as number) + (weights[Math.abs(other - at)] as number) * value
      }
    }
    return sums
  }

  /** As `sum`, with the highest instead of the sum. Values are at least 0. */
  highest(values: CandidateValues, weights: readonly number[]): CandidateValues {
    const highest = new Float64Array(values.length)
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] as number
      if (value === 0) continue
      const { from, to } = this.#around(at, weights.length - 1)
      for (let other = from; other <= to; other += 1) {
        highest[other] = Math.max(highest[other] as number, (weights[Math.abs(other - at)] as number) * value)
      }
    }
    return highest
  }

  /** The mean of a candidate and its neighbours up to the distance. */
  mean(values: CandidateValues, distance: number): CandidateValues {
    const means = this.sum(values, new Array<number>(distance + 1).fill(1))
    for (let at = 0; at < means.length; at += 1) {
      const { from, to } = this.#around(at, distance)
      means[at] = (means[at] as number) / (to - from + 1)
    }
    return means
  }

  /** The sum over the conversation. */
  total(values: CandidateValues): CandidateValues {
    const totals = new Float64Array(values.length)
    for (let at = 0; at < values.length; at += 1) {
      const first = this.#first[at] as number
      totals[first] = (totals[first] as number) + (values[at] as number)
    }
    return this.#ofFirst(totals)
  }

  /** The highest of the conversation. Values are at least 0. */
  best(values: CandidateValues): CandidateValues {
    const best = new Float64Array(values.length)
    for (let at = 0; at < values.length; at += 1) {
      const first = this.#first[at] as number
      best[first] = Math.max(best[first] as number, values[at] as number)
    }
    return this.#ofFirst(best)
  }

  /** The first candidate of each conversation. */
  conversations(): readonly number[] {
    const found: number[] = []
    for (let at = 0; at < this.#first.length; at += 1) if (this.#first[at] === at) found.push(at)
    return found
  }

  #holds(at: number, other: number): boolean {
    return other >= (this.#first[at] as number) && other <= (this.#last[at] as number)
  }

  /** The candidates of the conversation up to the distance. */
  #around(at: number, distance: number) {
    const from = Math.max(at - distance, this.#first[at] as number)
    const to = Math.min(at + distance, this.#last[at] as number)
    return { from, to }
  }

  /** Each candidate gets the value of the first of its conversation. */
  #ofFirst(values: CandidateValues): CandidateValues {
    for (let at = 0; at < values.length; at += 1) values[at] = values[this.#first[at] as number] as number
    return values
  }
}
