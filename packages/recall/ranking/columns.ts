/**
 * Columns: one number for each candidate, in the order of the pool, and the operations on them. Shares and ranks mean the same in every
 * memory, unlike raw scores. A neighbourhood spreads a column over the turns around each candidate.
 */
import type { Candidate } from '../search/candidates.ts'

export type Column = readonly number[]

export function columnOf(pool: readonly Candidate[], value: (candidate: Candidate, at: number) => number): Column {
  return pool.map(value)
}

/** Each value as a share of the highest; negative values count as 0. */
export function shares(values: Column): Column {
  const most = values.reduce((highest, value) => Math.max(highest, value), 1e-9)
  return values.map((value) => Math.max(0, value) / most)
}

/** 1 for the highest value, and half for the tenth after it. 0 for values of 0. */
export function rankScores(values: Column): Column {
  const scores = values.map(() => 0)
  const order = [...values.keys()]
    .filter((at) => (values[at] ?? 0) > 0)
    .sort((x, y) => (values[y] ?? 0) - (values[x] ?? 0) || x - y)
  for (const [rank, at] of order.entries()) scores[at] = 10 / (10 + rank)
  return scores
}

/**
 * Which candidates are adjacent. The pool is in the order of conversations and time, so the utterances of a conversation are one range of
 * it; other kinds of memory have no neighbours. Most values of a column are 0, so spreading starts from the others.
 */
export class Neighbourhood {
  /** By candidate, the ends of the range of its conversation. */
  readonly #first: readonly number[]
  readonly #last: readonly number[]

  constructor(pool: readonly Candidate[]) {
    const last = pool.map((_, at) => at)
    const first = [...last]
    const isUtterance = (at: number) => pool[at]?.memory.kind === 'utterance'
    const continues = (at: number) =>
      isUtterance(at) && isUtterance(at - 1) && pool[at]?.memory.conversation === pool[at - 1]?.memory.conversation
    for (let at = 1; at < pool.length; at++) if (continues(at)) first[at] = first[at - 1] ?? at
    for (let at = pool.length - 1; at > 0; at--) if (continues(at)) last[at - 1] = last[at] ?? at
    this.#first = first
    this.#last = last
  }

  /** The value of the previous or next candidate of the same conversation; 0 if there is none. */
  beside(values: Column, step: -1 | 1): Column {
    return values.map((_, at) => (this.#holds(at, at + step) ? (values[at + step] ?? 0) : 0))
  }

  /** Each value with those around it, summed. Weights are by distance: `[1, 0.5]` adds half of either neighbour. */
  sum(values: Column, weights: readonly number[]): Column {
    const sums = new Array<number>(values.length).fill(0)
    this.#spread(values, weights, (at, value) => {
      sums[at] = (sums[at] as number) + value
    })
    return sums
  }

  /** As `sum`, with the highest instead of the sum. Values are at least 0. */
  highest(values: Column, weights: readonly number[]): Column {
    const highest = new Array<number>(values.length).fill(0)
    this.#spread(values, weights, (at, value) => {
      if (value > (highest[at] as number)) highest[at] = value
    })
    return highest
  }

  /** The mean of a candidate and its neighbours up to the distance. */
  mean(values: Column, distance: number): Column {
    const equal = new Array<number>(distance + 1).fill(1)
    return this.sum(values, equal).map((sum, at) => {
      const from = Math.max(at - distance, this.#first[at] ?? at)
      const to = Math.min(at + distance, this.#last[at] ?? at)
      return sum / (to - from + 1)
    })
  }

  /** The sum over the conversation. */
  total(values: Column): Column {
    return this.#overConversation(values, (sum, value) => sum + value)
  }

  /** The highest of the conversation. Values are at least 0. */
  best(values: Column): Column {
    return this.#overConversation(values, Math.max)
  }

  /** The first candidate of each conversation. */
  conversations(): readonly number[] {
    return this.#first.flatMap((first, at) => (first === at ? [at] : []))
  }

  #holds(at: number, other: number): boolean {
    return other >= (this.#first[at] ?? at) && other <= (this.#last[at] ?? at)
  }

  #spread(values: Column, weights: readonly number[], give: (at: number, value: number) => void): void {
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] as number
      if (value === 0) continue
      for (let distance = 0; distance < weights.length; distance++) {
        const share = (weights[distance] as number) * value
        if (this.#holds(at, at - distance)) give(at - distance, share)
        if (distance > 0 && this.#holds(at, at + distance)) give(at + distance, share)
      }
    }
  }

  #overConversation(values: Column, join: (sum: number, value: number) => number): Column {
    const joined = new Array<number>(values.length).fill(0)
    for (const [at, value] of values.entries()) {
      const first = this.#first[at] ?? at
      joined[first] = join(joined[first] as number, value)
    }
    return joined.map((_, at) => joined[this.#first[at] ?? at] as number)
  }
}
