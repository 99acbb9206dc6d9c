/**
 * The words of the candidates, weighed by how rare they are among them (BM25): of each candidate alone, with what stands around it, and of whole
 * conversations.
 */

import type { Candidate } from '../search/candidates.ts'
import type { Neighbourhood, Values } from './columns.ts'

const k1 = 1.2
const b = 0.75
/** Candidates and words that the question is widened by: what the best have in common is looked for as well. */
const feedback = { candidates: 8, words: 12 }

/** Words with how much they count. */
export type Wanted = ReadonlyMap<string, number>

export class WordsOfPool {
  readonly #pool: readonly Candidate[]
  readonly #frequency = new Map<string, number>()
  readonly #counts = new Map<string, Values>()
  readonly #lengths: Values
  readonly #near: Neighbourhood

  constructor(pool: readonly Candidate[], near: Neighbourhood) {
    this.#pool = pool
    this.#near = near
    this.#lengths = pool.map(({ stems }) => stems.length)
    for (const { stems } of pool) {
      for (const stem of stems.counts.keys()) this.#frequency.set(stem, (this.#frequency.get(stem) ?? 0) + 1)
    }
  }

  rarity(stem: string): number {
    return rarity(this.#frequency.get(stem) ?? 0, this.#pool.length)
  }

  /** Of each candidate with what stands around it, read as one text; by how far away it is said to count. */
  bm25(wanted: Wanted, around: readonly number[]): Values {
    const widths = around.reduce((sum, weight, far) => sum + (far === 0 ? weight : 2 * weight), 0)
    const mean = Math.max(1, widths * average(this.#lengths))
    const lengths = this.#near.sum(this.#lengths, around)
    return scores(
      [...wanted].map(([stem, weight]) => {
        return { weight: weight * this.rarity(stem), counts: this.#near.sum(this.#countsOf(stem), around) }
      }),
      lengths.map((length) => length / mean),
    )
  }

  /** Of the whole conversation that each stands in, as far as it is in the pool. */
  bm25OfConversation(wanted: Wanted): Values {
    const conversations = this.#near.conversations()
    const lengths = this.#near.total(this.#lengths)
    const mean = Math.max(1, average(conversations.map((at) => lengths[at] ?? 0)))
    return scores(
      [...wanted].map(([stem, weight]) => {
        const counts = this.#near.total(this.#countsOf(stem))
        const holding = conversations.filter((at) => (counts[at] ?? 0) > 0).length
        return { weight: weight * rarity(holding, conversations.length), counts }
      }),
      lengths.map((length) => length / mean),
    )
  }

  /** The share of the question that is held, rare words counting more, those that stand around as much as is said. */
  held(wanted: readonly string[], around: readonly number[]): Values {
    const total = wanted.reduce((sum, stem) => sum + this.rarity(stem), 0) || 1
    const sums = this.#pool.map(() => 0)
    for (const stem of wanted) {
      const here = this.#countsOf(stem).map((count) => Number(count > 0))
      for (const [at, share] of this.#near.highest(here, around).entries()) {
        sums[at] = (sums[at] ?? 0) + (share * this.rarity(stem)) / total
      }
    }
    return sums
  }

  /** The telling words of the most promising, without those that are known. */
  telling(promising: Values, known: ReadonlySet<string>): Wanted {
    const best = [...promising.keys()].sort((x, y) => (promising[y] ?? 0) - (promising[x] ?? 0) || x - y)
    const weights = new Map<string, number>()
    for (const at of best.slice(0, feedback.candidates)) {
      const { counts = new Map<string, number>(), length = 0 } = this.#pool[at]?.stems ?? {}
      const weight = (promising[at] ?? 0) / Math.sqrt(length + 1)
      for (const stem of counts.keys()) {
        if (!known.has(stem)) weights.set(stem, (weights.get(stem) ?? 0) + weight * this.rarity(stem))
      }
    }
    const chosen = [...weights].sort((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1)).slice(0, feedback.words)
    const most = chosen[0]?.[1] ?? 1
    return new Map(chosen.map(([stem, weight]) => [stem, weight / most]))
  }

  /** How rare its words are, on average. */
  meanRarity(): Values {
    const rarities = new Map([...this.#frequency.keys()].map((stem) => [stem, this.rarity(stem)]))
    return this.#pool.map(({ stems }) => {
      const sum = [...stems.counts.keys()].reduce((total, stem) => total + (rarities.get(stem) ?? 0), 0)
      return sum / Math.max(1, stems.length)
    })
  }

  #countsOf(stem: string): Values {
    const known = this.#counts.get(stem)
    if (known) return known
    const counts = this.#pool.map(({ stems }) => stems.counts.get(stem) ?? 0)
    this.#counts.set(stem, counts)
    return counts
  }
}

interface WordCounts {
  readonly weight: number
  readonly counts: Values
}

/** @param lengths of the texts, as shares of the mean */
function scores(words: readonly WordCounts[], lengths: Values): Values {
  const sums = new Array<number>(lengths.length).fill(0)
  for (const { weight, counts } of words) {
    for (const [at, count] of counts.entries()) {
      if (count === 0) continue
      const norm = k1 * (1 - b + b * (lengths[at] as number))
      sums[at] = (sums[at] as number) + (weight * count * (k1 + 1)) / (count + norm)
    }
  }
  return sums
}

function rarity(holding: number, of: number): number {
  return Math.log(1 + (of - holding + 0.5) / (holding + 0.5))
}

function average(values: Values): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
