/**
 * Numbers about candidates, one for each, in the pool's order, and what can be made of them: shares and places, which mean the same in every
 * memory, and what stands around a candidate in its conversation.
 */
import type { Candidate } from '../search/candidates.ts'

export type Values = readonly number[]

export function column(pool: readonly Candidate[], value: (candidate: Candidate, at: number) => number): Values {
  return pool.map(value)
}

/** Of the highest. */
export function shares(values: Values): Values {
  const most = values.reduce((highest, value) => Math.max(highest, value), 1e-9)
  return values.map((value) => Math.max(0, value) / most)
}

/** 1 for the first, half for the tenth after it; 0 for what has nothing of it. */
export function places(values: Values): Values {
  const placed = values.map(() => 0)
  const order = [...values.keys()]
    .filter((at) => (values[at] ?? 0) > 0)
    .sort((x, y) => (values[y] ?? 0) - (values[x] ?? 0) || x - y)
  for (const [place, at] of order.entries()) placed[at] = 10 / (10 + place)
  return placed
}

/**
 * Who stands beside whom: the pool is in the order of conversations and time, so a conversation is a stretch of it; what nobody said stands
 * alone. Everything that spreads starts from the values that are not 0, which are few.
 */
export class Neighbourhood {
  readonly #first: readonly number[]
  readonly #last: readonly number[]

  constructor(pool: readonly Candidate[]) {
    const last = pool.map((_, at) => at)
    const first = [...last]
    const isSaid = (at: number) => pool[at]?.memory.kind === 'utterance'
    const belongs = (at: number) =>
      isSaid(at) && isSaid(at - 1) && pool[at]?.memory.conversation === pool[at - 1]?.memory.conversation
    for (let at = 1; at < pool.length; at++) if (belongs(at)) first[at] = first[at - 1] ?? at
    for (let at = pool.length - 1; at > 0; at--) if (belongs(at)) last[at - 1] = last[at] ?? at
    this.#first = first
    this.#last = last
  }

  /** What the one that was said `step` after it has, in the same conversation. */
  beside(values: Values, step: -1 | 1): Values {
    return values.map((_, at) => (this.#holds(at, at + step) ? (values[at + step] ?? 0) : 0))
  }

  /** Each with what stands around it: the sum, by how far away it is said to count: `[1, 0.5]` is itself and half of either neighbour. */
  sum(values: Values, weights: readonly number[]): Values {
    const sums = new Array<number>(values.length).fill(0)
    this.#spread(values, weights, (at, value) => {
      sums[at] = (sums[at] as number) + value
    })
    return sums
  }

  /** The same with the highest instead of the sum; of values from 0. */
  highest(values: Values, weights: readonly number[]): Values {
    const highest = new Array<number>(values.length).fill(0)
    this.#spread(values, weights, (at, value) => {
      if (value > (highest[at] as number)) highest[at] = value
    })
    return highest
  }

  /** The mean of it and its neighbours, as far as `reach`. */
  mean(values: Values, reach: number): Values {
    const alike = new Array<number>(reach + 1).fill(1)
    return this.sum(values, alike).map((sum, at) => {
      const from = Math.max(at - reach, this.#first[at] ?? at)
      const to = Math.min(at + reach, this.#last[at] ?? at)
      return sum / (to - from + 1)
    })
  }

  /** The sum over its whole conversation. */
  total(values: Values): Values {
    return this.#whole(values, (sum, value) => sum + value)
  }

  /** The highest of its whole conversation, of values from 0. */
  best(values: Values): Values {
    return this.#whole(values, Math.max)
  }

  /** One place of each conversation. */
  conversations(): readonly number[] {
    return this.#first.flatMap((first, at) => (first === at ? [at] : []))
  }

  #holds(at: number, place: number): boolean {
    return place >= (this.#first[at] ?? at) && place <= (this.#last[at] ?? at)
  }

  #spread(values: Values, weights: readonly number[], give: (at: number, value: number) => void): void {
    for (const [at, value] of values.entries()) {
      if (value === 0) continue
      for (let far = 0; far < weights.length; far++) {
        const share = (weights[far] as number) * value
        if (this.#holds(at, at - far)) give(at - far, share)
        if (far > 0 && this.#holds(at, at + far)) give(at + far, share)
      }
    }
  }

  #whole(values: Values, join: (sum: number, value: number) => number): Values {
    const joined = new Array<number>(values.length).fill(0)
    for (const [at, value] of values.entries()) {
      const first = this.#first[at] ?? at
      joined[first] = join(joined[first] as number, value)
    }
    return joined.map((_, at) => joined[this.#first[at] ?? at] as number)
  }
}
