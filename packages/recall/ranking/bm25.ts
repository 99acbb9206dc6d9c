/**
 * BM25 over the candidates of one question: of each candidate by itself, with its neighbours as one text, and of whole conversations.
 * Document frequencies are counted among the candidates.
 */
import type { Candidate } from '../search/candidates.ts'
import type { Column, Neighbourhood } from './columns.ts'

const k1 = 1.2
const b = 0.75
/** Query expansion (pseudo-relevance feedback): the best candidates it reads, and the stems it adds. */
const expansion = { candidates: 8, stems: 12 }

/** Stems with their weights. */
export type WeightedStems = ReadonlyMap<string, number>

export class CandidateWords {
  readonly #pool: readonly Candidate[]
  /** By stem: the candidates that have it, ascending. */
  readonly #holders = new Map<string, number[]>()
  readonly #counts = new Map<string, Column>()
  readonly #lengths: Column
  readonly #near: Neighbourhood

  constructor(pool: readonly Candidate[], near: Neighbourhood) {
    this.#pool = pool
    this.#near = near
    this.#lengths = pool.map(({ stems }) => stems.length)
    for (const [at, { stems }] of pool.entries()) {
      for (const stem of stems.counts.keys()) {
        const holders = this.#holders.get(stem)
        if (holders === undefined) this.#holders.set(stem, [at])
        else holders.push(at)
      }
    }
  }

  /** The inverse document frequency. */
  #idf(stem: string): number {
    return idf(this.#holders.get(stem)?.length ?? 0, this.#pool.length)
  }

  /** Each candidate and its neighbours as one text, the neighbours weighted by distance. */
  bm25(stems: WeightedStems, weights: readonly number[]): Column {
    const width = weights.reduce((sum, weight, distance) => sum + (distance === 0 ? weight : 2 * weight), 0)
    const mean = Math.max(1, width * average(this.#lengths))
    const lengths = this.#near.sum(this.#lengths, weights)
    return scores(
      [...stems].map(([stem, weight]) => {
        return { weight: weight * this.#idf(stem), counts: this.#near.sum(this.#countsOf(stem), weights) }
      }),
      lengths.map((length) => length / mean),
    )
  }

  /** The candidates of a conversation as one text. */
  bm25OfConversation(stems: WeightedStems): Column {
    const conversations = this.#near.conversations()
    const lengths = this.#near.total(this.#lengths)
    const mean = Math.max(1, average(conversations.map((at) => lengths[at] ?? 0)))
    return scores(
      [...stems].map(([stem, weight]) => {
        const counts = this.#near.total(this.#countsOf(stem))
        const frequency = conversations.filter((at) => (counts[at] ?? 0) > 0).length
        return { weight: weight * idf(frequency, conversations.length), counts }
      }),
      lengths.map((length) => length / mean),
    )
  }

  /** The share of the stems that a candidate and its neighbours have, by idf, the neighbours weighted by distance. */
  coverage(stems: readonly string[], weights: readonly number[]): Column {
    const total = stems.reduce((sum, stem) => sum + this.#idf(stem), 0) || 1
    const sums = this.#pool.map(() => 0)
    for (const stem of stems) {
      const isPresent = this.#countsOf(stem).map((count) => Number(count > 0))
      for (const [at, share] of this.#near.highest(isPresent, weights).entries()) {
        sums[at] = (sums[at] ?? 0) + (share * this.#idf(stem)) / total
      }
    }
    return sums
  }

  /** The strongest stems of the most promising candidates, without the known ones. */
  expansionStems(promise: Column, known: ReadonlySet<string>): WeightedStems {
    const best = [...promise.keys()].sort((x, y) => (promise[y] ?? 0) - (promise[x] ?? 0) || x - y)
    const weights = new Map<string, number>()
    for (const at of best.slice(0, expansion.candidates)) {
      const { counts = new Map<string, number>(), length = 0 } = this.#pool[at]?.stems ?? {}
      const weight = (promise[at] ?? 0) / Math.sqrt(length + 1)
      for (const stem of counts.keys()) {
        if (!known.has(stem)) weights.set(stem, (weights.get(stem) ?? 0) + weight * this.#idf(stem))
      }
    }
    const chosen = [...weights].sort((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1)).slice(0, expansion.stems)
    const most = chosen[0]?.[1] ?? 1
    return new Map(chosen.map(([stem, weight]) => [stem, weight / most]))
  }

  /** The mean idf of a candidate's words. */
  meanIdf(): Column {
    const sums = this.#pool.map(() => 0)
    for (const [stem, holders] of this.#holders) {
      const rarity = this.#idf(stem)
      for (const at of holders) sums[at] = (sums[at] as number) + rarity
    }
    return sums.map((sum, at) => sum / Math.max(1, this.#lengths[at] ?? 0))
  }

  #countsOf(stem: string): Column {
    const known = this.#counts.get(stem)
    if (known) return known
    const counts = this.#pool.map(() => 0)
    for (const at of this.#holders.get(stem) ?? []) counts[at] = this.#pool[at]?.stems.counts.get(stem) ?? 0
    this.#counts.set(stem, counts)
    return counts
  }
}

interface StemCounts {
  readonly weight: number
  readonly counts: Column
}

/** @param lengths of the texts, as shares of the mean */
function scores(stems: readonly StemCounts[], lengths: Column): Column {
  const sums = new Array<number>(lengths.length).fill(0)
  for (const { weight, counts } of stems) {
    for (let at = 0; at < counts.length; at += 1) {
      const count = counts[at] as number
      if (count === 0) continue
      const norm = k1 * (1 - b + b * (lengths[at] as number))
      sums[at] = (sums[at] as number) + (weight * count * (k1 + 1)) / (count + norm)
    }
  }
  return sums
}

function idf(frequency: number, texts: number): number {
  return Math.log(1 + (texts - frequency + 0.5) / (frequency + 0.5))
}

function average(values: Column): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
