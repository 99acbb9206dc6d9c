/**
 * What speaks for each candidate, as numbers that mean the same in every memory: shares of the best candidate's value and places, not raw
 * scores. Words are weighed by how rare they are among the candidates (BM25), alone and with what stands around them; the names of
 * speakers count apart, because a question about Ann is answered by Ann. `weights.json` holds a weight for each, by name.
 */
import { findTimes } from '@loomlog/language/times'
import type { Candidate } from './pool.ts'
import type { Question, Want } from './question.ts'
import { stemsOf } from './stems.ts'

const k1 = 1.2
const b = 0.75
/** Candidates and words that the question is widened by: what the best have in common is looked for as well. */
const feedback = { candidates: 8, words: 12 }
const day = 86_400_000
/** What is told of a time is told on that day or within a week after it. */
const toldWithin = 8 * day

type Values = readonly number[]
/** By name, a value for each candidate. */
export type Features = ReadonlyMap<string, Values>

export function featuresOf(question: Question, pool: readonly Candidate[]): Features {
  const speakers = new Map([...new Set(pool.map(({ memory }) => memory.speaker))].map((name) => [name, stems(name)]))
  const asked = new Set(question.stems)
  const named = [...speakers].filter(([, name]) => name.some((stem) => asked.has(stem))).map(([name]) => name)
  const names = new Set(named.flatMap((name) => speakers.get(name) ?? []))
  const about = question.stems.filter((stem) => !names.has(stem))
  const words = new Words(pool)
  const alone = words.bm25(equally(about), 0)
  const cosine = column(pool, ({ cosines }) => cosines[0] ?? 0)
  const told = column(pool, ({ cosines }) => cosines[1] ?? cosines[0] ?? 0)
  const factTold = column(pool, ({ facts }) => facts.cosines[1] ?? facts.cosines[0] ?? 0)
  const factCosine = column(pool, ({ facts }) => facts.cosines[0] ?? 0)
  const near = words.bm25(equally(about), 1)
  const asks = column(pool, ({ words }) => Number(words.includes('?')))
  const beside = (values: Values, step: -1 | 1) => column(pool, (_, at) => values[neighbour(pool, at, step) ?? -1] ?? 0)
  const afterQuestion = (values: Values) =>
    column(pool, (_, at) => {
      const before = neighbour(pool, at, -1)
      return before === null || asks[before] === 0 ? 0 : (values[before] ?? 0)
    })
  const promising = shares(alone).map((share, at) => share + 0.6 * (cosine[at] ?? 0))
  return new Map<string, Values>([
    ['words', shares(alone)],
    ['words place', places(alone)],
    ['words and names', shares(words.bm25(equally(question.stems), 0, 'with names'))],
    ['words ±1', shares(near)],
    ['words ±1 place', places(near)],
    ['words ±3', shares(words.bm25(equally(about), 3))],
    ['words before', shares(beside(alone, -1))],
    ['words after', shares(beside(alone, 1))],
    ['words of the question before', shares(afterQuestion(alone))],
    ['words held', words.held(about, 0)],
    ['words held ±1', words.held(about, 1)],
    ['rarest word', shares(words.rarest(about))],
    ['widened words', shares(words.bm25(words.telling(promising, new Set([...about, ...names])), 0))],
    ['meaning', cosine],
    ['meaning share', shares(cosine)],
    ['meaning place', places(cosine)],
    ['meaning ±1', shares(smoothed(pool, cosine, 1))],
    ['meaning ±3', shares(smoothed(pool, cosine, 3))],
    ['meaning before', shares(beside(cosine, -1))],
    ['meaning after', shares(beside(cosine, 1))],
    ['meaning of the question before', shares(afterQuestion(cosine))],
    ['told', told],
    ['told share', shares(told)],
    ['told place', places(told)],
    ['told ±1', shares(smoothed(pool, told, 1))],
    ['fact words', shares(column(pool, ({ facts }) => facts.share))],
    ['fact meaning', shares(factCosine)],
    ['fact meaning place', places(factCosine)],
    ['fact told', shares(factTold)],
    ['facts', column(pool, ({ facts }) => Math.min(3, facts.count))],
    ['box meaning', shares(column(pool, ({ boxCosine }) => boxCosine))],
    ['event meaning', shares(column(pool, ({ eventCosine }) => eventCosine))],
    ['speaker named', column(pool, ({ memory }) => Number(named.includes(memory.speaker)))],
    ['other speaker named', column(pool, ({ memory }) => Number(named.length > 0 && !named.includes(memory.speaker)))],
    ['length', column(pool, ({ stems }) => Math.log(1 + stems.length))],
    ['asks', asks],
    ['ends asking', column(pool, ({ words }) => Number(/\?\s*(?:\[image.*)?$/.test(words)))],
    ['shows an image', column(pool, ({ words }) => Number(words.includes('[image: ')))],
    ['is answered', column(pool, (_, at) => Number(endsAsking(pool, neighbour(pool, at, -1))))],
    ...timely(question, pool),
    ...cues(question, pool),
  ])
}

function stems(text: string): readonly string[] {
  return [...stemsOf(text).counts.keys()]
}

function equally(words: readonly string[]): ReadonlyMap<string, number> {
  return new Map(words.map((word) => [word, 1]))
}

function column(pool: readonly Candidate[], value: (candidate: Candidate, at: number) => number): Values {
  return pool.map(value)
}

/** The place of what was said just before or after it, in the same conversation. */
function neighbour(pool: readonly Candidate[], at: number, step: number): number | null {
  const [here, there] = [pool[at]?.memory.conversation, pool[at + step]?.memory.conversation]
  return here !== undefined && here === there ? at + step : null
}

function endsAsking(pool: readonly Candidate[], at: number | null): boolean {
  return at !== null && (pool[at]?.words.trimEnd().endsWith('?') ?? false)
}

function shares(values: Values): Values {
  const most = Math.max(1e-9, ...values)
  return values.map((value) => Math.max(0, value) / most)
}

/** 1 for the first, half for the tenth after it; 0 for what has nothing of it. */
function places(values: Values): Values {
  const placed = values.map(() => 0)
  const order = [...values.keys()]
    .filter((at) => (values[at] ?? 0) > 0)
    .sort((x, y) => (values[y] ?? 0) - (values[x] ?? 0) || x - y)
  for (const [place, at] of order.entries()) placed[at] = 10 / (10 + place)
  return placed
}

function smoothed(pool: readonly Candidate[], values: Values, reach: number): Values {
  return values.map((_, at) => {
    let [sum, count] = [0, 0]
    for (let step = -reach; step <= reach; step++) {
      const place = neighbour(pool, at, step)
      if (place === null) continue
      sum += values[place] ?? 0
      count += 1
    }
    return sum / count
  })
}

class Words {
  readonly #pool: readonly Candidate[]
  readonly #frequency = new Map<string, number>()

  constructor(pool: readonly Candidate[]) {
    this.#pool = pool
    for (const { stems } of pool) {
      for (const stem of stems.counts.keys()) this.#frequency.set(stem, (this.#frequency.get(stem) ?? 0) + 1)
    }
  }

  rarity(stem: string): number {
    const holding = this.#frequency.get(stem) ?? 0
    return Math.log(1 + (this.#pool.length - holding + 0.5) / (holding + 0.5))
  }

  /** Of each candidate with what stands up to `reach` around it, read as one text. */
  bm25(wanted: ReadonlyMap<string, number>, reach: number, names: 'with names' | 'words only' = 'words only'): Values {
    const pool = this.#pool
    const weighed = [...wanted].map(([stem, weight]) => [stem, weight * this.rarity(stem)] as const)
    const meanLength = pool.reduce((sum, { stems }) => sum + stems.length, 0) / Math.max(1, pool.length)
    const mean = Math.max(1, meanLength * (2 * reach + 1))
    const speakers = names === 'with names' ? pool.map(({ memory }) => stemsOf(memory.speaker).counts) : []
    return pool.map((_, at) => {
      const places = around(pool, at, reach)
      const length = places.reduce((sum, place) => sum + (pool[place]?.stems.length ?? 0), 0)
      const norm = k1 * (1 - b + (b * length) / mean)
      let score = 0
      for (const [stem, weight] of weighed) {
        let count = speakers[at]?.get(stem) ?? 0
        for (const place of places) count += pool[place]?.stems.counts.get(stem) ?? 0
        if (count > 0) score += (weight * count * (k1 + 1)) / (count + norm)
      }
      return score
    })
  }

  /** The share of the question that is held, rare words counting more. */
  held(wanted: readonly string[], reach: number): Values {
    const total = wanted.reduce((sum, stem) => sum + this.rarity(stem), 0) || 1
    return this.#pool.map((_, at) => {
      const places = around(this.#pool, at, reach)
      const found = wanted.filter((stem) => places.some((place) => this.#pool[place]?.stems.counts.has(stem)))
      return found.reduce((sum, stem) => sum + this.rarity(stem), 0) / total
    })
  }

  /** The telling words of the most promising, without those that are known. */
  telling(promising: Values, known: ReadonlySet<string>): ReadonlyMap<string, number> {
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

  rarest(wanted: readonly string[]): Values {
    return this.#pool.map(({ stems }) =>
      Math.max(0, ...wanted.filter((stem) => stems.counts.has(stem)).map((stem) => this.rarity(stem))),
    )
  }
}

function around(pool: readonly Candidate[], at: number, reach: number): readonly number[] {
  const places: number[] = []
  for (let step = -reach; step <= reach; step++) {
    const place = neighbour(pool, at, step)
    if (place !== null) places.push(place)
  }
  return places
}

/** Does it tell of the time that is asked about, or was it said then? */
function timely({ times }: Question, pool: readonly Candidate[]): readonly (readonly [string, Values])[] {
  const told = times.length === 0 ? [] : pool.map(({ words, memory }) => findTimes(words, memory.at ?? 0))
  const meets = pool.map((_, at) =>
    times.some((time) => told[at]?.some((other) => other.from < time.to && time.from < other.to)),
  )
  const saidThen = pool.map(({ memory: { at } }) =>
    times.some((time) => at !== null && at >= time.from && at < time.to + toldWithin),
  )
  return [
    ['tells of the time', meets.map(Number)],
    ['said at the time', saidThen.map((is, at) => Number(is && !meets[at]))],
  ]
}

const timeWords =
  /\b(?:\d{4}|yesterday|today|tomorrow|tonight|ago|last|next|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weeks?|months?|years?)\b/i
const holds: { readonly [want in Exclude<Want, 'list' | 'guess'>]: RegExp } = {
  time: timeWords,
  number: /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|couple|few|once|twice)\b/i,
  place: /[a-z,] \p{Lu}\p{Ll}{2,}/u,
  person: /[a-z,] \p{Lu}\p{Ll}{2,}/u,
  reason: /\b(?:because|since|so that|to help|wanted|reason|inspired)\b/i,
}

function cues({ wants }: Question, pool: readonly Candidate[]): readonly (readonly [string, Values])[] {
  const kinds = Object.entries(holds) as [Want, RegExp][]
  return [
    ['holds a time', column(pool, ({ words }) => Number(timeWords.test(words)))],
    ...kinds.map(([want, pattern]) => {
      const asked = wants.has(want)
      return [`holds the ${want} asked for`, column(pool, ({ words }) => Number(asked && pattern.test(words)))] as const
    }),
  ]
}
