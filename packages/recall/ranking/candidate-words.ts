/**
 * The words of the candidates of one question, and BM25 over them: of each candidate by itself, with its neighbours as
 * one text, and of whole conversations. Document frequencies are counted among the candidates.
 */
import { inverseDocumentFrequency, lengthNorm, wordScore } from '@loomlog/language/bm25'
import type { Candidate } from '../search/candidates.ts'
import { type CandidateValues, type Neighbourhood, valuesOf } from './candidate-values.ts'
import { highestOf } from './ranks.ts'
import { type PlacedStems, placeStems } from './stem-numbers.ts'

/** A text counts as at most this many times as long as the mean: one word in the middle of 64 KB is still found. */
const maxLength = 5
/** Query expansion (pseudo-relevance feedback): the best candidates it reads, and the stems it adds. */
const expansion = { candidates: 8, stems: 12 }

/** Stems with their weights. */
export type WeightedStems = ReadonlyMap<string, number>

export class CandidateWords {
  readonly #pool: readonly Candidate[]
  readonly #stems: PlacedStems
  /** The inverse document frequency, by place of the stem. */
  readonly #rarities: Float64Array
  readonly #counts = new Map<string, CandidateValues>()
  readonly #lengths: CandidateValues
  readonly #near: Neighbourhood

  constructor(pool: readonly Candidate[], near: Neighbourhood) {
    this.#pool = pool
    this.#near = near
    this.#lengths = valuesOf(pool, ({ stems }) => stems.length)
    this.#stems = placeStems(pool.map(({ stems }) => stems))
    const { places, size } = this.#stems
    const holders = new Int32Array(size)
    for (let n = 0; n < places.length; n += 1) {
      const place = places[n] as number
      holders[place] = (holders[place] as number) + 1
    }
    this.#rarities = Float64Array.from(holders, (count) => inverseDocumentFrequency(count, pool.length))
  }

  #rarityOf(stem: string): number {
    const place = this.#stems.placeOf(stem)
    return place === undefined ? inverseDocumentFrequency(0, this.#pool.length) : (this.#rarities[place] as number)
  }

  /** Each candidate and its neighbours as one text, the neighbours weighted by distance. */
  bm25(stems: WeightedStems, weights: readonly number[]): CandidateValues {
    const width = weights.reduce((sum, weight, distance) => sum + (distance === 0 ? weight : 2 * weight), 0)
    const mean = Math.max(1, width * average(this.#lengths))
    const lengths = this.#near.sum(this.#lengths, weights)
    this.#count(stems.keys())
    return scores(
      [...stems].map(([stem, weight]) => {
        return { weight: weight * this.#rarityOf(stem), counts: this.#near.sum(this.#countsOf(stem), weights) }
      }),
      lengths.map((length) => normOf(length / mean)),
    )
  }

  /** The candidates of a conversation as one text. */
  bm25OfConversation(stems: WeightedStems): CandidateValues {
    const conversations = this.#near.conversations()
    const lengths = this.#near.total(this.#lengths)
    const mean = Math.max(1, average(conversations.map((at) => lengths[at] ?? 0)))
    this.#count(stems.keys())
    return scores(
      [...stems].map(([stem, weight]) => {
        const counts = this.#near.total(this.#countsOf(stem))
        const frequency = conversations.filter((at) => (counts[at] ?? 0) > 0).length
        return { weight: weight * inverseDocumentFrequency(frequency, conversations.length), counts }
      }),
      lengths.map((length) => normOf(length / mean)),
    )
  }

  /** The share of the stems that a candidate and its neighbours have, by idf, the neighbours weighted by distance. */
  coverage(stems: readonly string[], weights: readonly number[]): CandidateValues {
    const total = stems.reduce((sum, stem) => sum + this.#rarityOf(stem), 0) || 1
    const sums = new Float64Array(this.#pool.length)
    this.#count(stems)
    for (const stem of stems) {
      const rarity = this.#rarityOf(stem)
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

  /** The strongest stems of the candidates with the highest scores, without the known ones. */
  expansionStems(firstScores: CandidateValues, known: ReadonlySet<string>): WeightedStems {
    const { ends, places } = this.#stems
    const weights = new Map<string, number>()
    for (const at of highestOf(firstScores, expansion.candidates)) {
      const { counts = new Map<string, number>(), length = 0 } = this.#pool[at]?.stems ?? {}
      const weight = (firstScores[at] ?? 0) / Math.sqrt(length + 1)
      // Best first: the others are as unlike the question. Without a stem of weight, the shares would be 0 / 0.
      if (weight === 0) break
      let n = ends[at - 1] ?? 0
      for (const stem of counts.keys()) {
        const rarity = this.#rarities[places[n++] as number] as number
        if (!known.has(stem)) weights.set(stem, (weights.get(stem) ?? 0) + weight * rarity)
      }
    }
    const chosen = [...weights].sort((x, y) => y[1] - x[1] || (x[0] < y[0] ? -1 : 1)).slice(0, expansion.stems)
    const most = chosen[0]?.[1] ?? 1
    return new Map(chosen.map(([stem, weight]) => [stem, weight / most]))
  }

  #countsOf(stem: string): CandidateValues {
    return this.#counts.get(stem) ?? new Float64Array(this.#pool.length)
  }

  /** Counts these stems in every candidate, at once. */
  #count(stems: Iterable<string>): void {
    const { ends, places, counts, size } = this.#stems
    const counted: CandidateValues[] = []
    /** By place: 1 + the index of its counts; 0: the stem isn't wanted. */
    const wanted = new Uint16Array(size)
    for (const stem of stems) {
      const place = this.#stems.placeOf(stem)
      if (place === undefined || this.#counts.has(stem)) continue
      const values = new Float64Array(this.#pool.length)
      this.#counts.set(stem, values)
      wanted[place] = counted.push(values)
    }
    if (counted.length === 0) return
    let n = 0
    for (let at = 0; at < ends.length; at += 1) {
      for (; n < (ends[at] as number); n += 1) {
        const index = wanted[places[n] as number] as number
        if (index > 0) (counted[index - 1] as CandidateValues)[at] = counts[n] as number
      }
    }
  }
}

interface StemCounts {
  readonly weight: number
  readonly counts: CandidateValues
}

/** @param length of a text, as a share of the mean */
function normOf(length: number): number {
  return lengthNorm(Math.min(maxLength, length), 1)
}

function scores(stems: readonly StemCounts[], norms: CandidateValues): CandidateValues {
  const sums = new Float64Array(norms.length)
  for (const { weight, counts } of stems) {
    for (let at = 0; at < counts.length; at += 1) {
      const count = counts[at] as number
      if (count === 0) continue
      sums[at] = (sums[at] as number) + wordScore(weight, count, norms[at] as number)
    }
  }
  return sums
}

function average(values: ArrayLike<number>): number {
  let sum = 0
  for (let at = 0; at < values.length; at += 1) sum += values[at] as number
  return sum / Math.max(1, values.length)
}
