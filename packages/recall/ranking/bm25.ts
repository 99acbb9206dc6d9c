/**
 * BM25 over the candidates of one question: of each candidate by itself, with its neighbours as one text, and of whole conversations.
 * Document frequencies are counted among the candidates.
 */
import type { Candidate } from '../search/candidates.ts'
import { type Column, columnOf, type Neighbourhood } from './columns.ts'
import { type Numbering, numberStems } from './stem-numbers.ts'

const k1 = 1.2
const b = 0.75
/** Query expansion (pseudo-relevance feedback): the best candidates it reads, and the stems it adds. */
const expansion = { candidates: 8, stems: 12 }

/** Stems with their weights. */
export type WeightedStems = ReadonlyMap<string, number>

export class CandidateWords {
  readonly #pool: readonly Candidate[]
  readonly #numbering: Numbering
  /** By number of the stem: the candidates that have it. */
  readonly #holders: Int32Array
  readonly #counts = new Map<string, Column>()
  readonly #lengths: Column
  readonly #near: Neighbourhood

  constructor(pool: readonly Candidate[], near: Neighbourhood) {
    this.#pool = pool
    this.#near = near
    this.#lengths = columnOf(pool, ({ stems }) => stems.length)
    this.#numbering = numberStems(pool.map(({ stems }) => stems))
    this.#holders = new Int32Array(this.#numbering.size)
    for (const pairs of this.#numbering.texts) {
      for (let n = 0; n < pairs.length; n += 2) {
        const stem = pairs[n] as number
        this.#holders[stem] = (this.#holders[stem] as number) + 1
      }
    }
  }

  /** The inverse document frequency. */
  #idf(stem: string): number {
    const number = this.#numbering.numberOf(stem)
    return idf(number === undefined ? 0 : (this.#holders[number] ?? 0), this.#pool.length)
  }

  /** Each candidate and its neighbours as one text, the neighbours weighted by distance. */
  bm25(stems: WeightedStems, weights: readonly number[]): Column {
    const width = weights.reduce((sum, weight, distance) => sum + (distance === 0 ? weight : 2 * weight), 0)
    const mean = Math.max(1, width * average(this.#lengths))
    const lengths = this.#near.sum(this.#lengths, weights)
    this.#count(stems.keys())
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
    this.#count(stems.keys())
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
    const sums = new Float64Array(this.#pool.length)
    this.#count(stems)
    for (const stem of stems) {
      const rarity = this.#idf(stem)
      const present = this.#near.highest(
        this.#countsOf(stem).map((count) => Number(count > 0)),
        weights,
      )
      for (let at = 0; at < sums.length; at += 1) {
        sums[at] = (sums[at] as number) + ((present[at] as number) * rarity) / total
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
    const rarities = new Float64Array(this.#holders.length)
    const means = new Float64Array(this.#pool.length)
    for (const [at, pairs] of this.#numbering.texts.entries()) {
      let sum = 0
      for (let n = 0; n < pairs.length; n += 2) {
        const stem = pairs[n] as number
        if (rarities[stem] === 0) rarities[stem] = idf(this.#holders[stem] as number, this.#pool.length)
        sum += rarities[stem] as number
      }
      means[at] = sum / Math.max(1, this.#lengths[at] as number)
    }
    return means
  }

  #countsOf(stem: string): Column {
    return this.#counts.get(stem) ?? new Float64Array(this.#pool.length)
  }

  /** Counts these stems in every candidate, at once. */
  #count(stems: Iterable<string>): void {
    const wanted = new Map<number, Column>()
    for (const stem of stems) {
      const number = this.#numbering.numberOf(stem)
      if (number === undefined || this.#counts.has(stem)) continue
      const column = new Float64Array(this.#pool.length)
      this.#counts.set(stem, column)
      wanted.set(number, column)
    }
    if (wanted.size === 0) return
    const isWanted = new Uint8Array(this.#holders.length)
    for (const number of wanted.keys()) isWanted[number] = 1
    for (const [at, pairs] of this.#numbering.texts.entries()) {
      for (let n = 0; n < pairs.length; n += 2) {
        if (isWanted[pairs[n] as number] !== 1) continue
        const column = wanted.get(pairs[n] as number)
        if (column !== undefined) column[at] = pairs[n + 1] as number
      }
    }
  }
}

interface StemCounts {
  readonly weight: number
  readonly counts: Column
}

/** @param lengths of the texts, as shares of the mean */
function scores(stems: readonly StemCounts[], lengths: Column): Column {
  const sums = new Float64Array(lengths.length)
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

function average(values: ArrayLike<number>): number {
  let sum = 0
  for (let at = 0; at < values.length; at += 1) sum += values[at] as number
  return sum / Math.max(1, values.length)
}
