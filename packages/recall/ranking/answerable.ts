/**
 * How likely it is that the memory holds the answer at all: something always comes first, whatever is asked. It is told by how likely the best
 * candidate is, and how much is as likely beside it; and, where the question names who is meant, by whether what fits best was said by
 * them: what somebody else said is the usual false answer. All of it is known from the ranking.
 */
import type { Features } from './features.ts'
import { type Learned, learnedWeights, logOdds, signs, type Weights } from './weights.ts'

/** Of one question, a number for each of `signs`. */
export type Signs = { readonly [sign in (typeof signs)[number]]: number }

const speakerFeatures = ['speaker named', 'other speaker named'] as const

/** Null: there is no candidate. */
export function signsOf(features: Features, count: number, weights: Weights): Signs | null {
  if (count === 0) return null
  const odds = logOdds(features, count, weights)
  const best = highest(odds)
  const [named = [], other = []] = speakerFeatures.map((name) => features.get(name) ?? [])
  const [forNamed = 0, forOther = 0] = speakerFeatures.map((name) => weights.features[name] ?? 0)
  const words = odds.map((each, at) => each - forNamed * (named[at] ?? 0) - forOther * (other[at] ?? 0))
  const theirs = highest(words.filter((_, at) => named[at] === 1))
  const others = highest(words.filter((_, at) => other[at] === 1))
  const apart = Number.isFinite(theirs) && Number.isFinite(others) ? theirs - others : 0
  return {
    best,
    crowd: Math.log(odds.reduce((sum, each) => sum + Math.exp(each - best), 0)),
    named: Number(Number.isFinite(theirs)),
    ahead: Math.max(0, apart),
    behind: Math.max(0, -apart),
  }
}

/** A probability, as learned from questions with and without an answer. */
export function answerable(features: Features, count: number, learned: Learned = learnedWeights): number {
  const found = signsOf(features, count, learned)
  if (found === null) return 0
  const sum = signs.reduce((total, sign) => total + learned.answerable[sign] * found[sign], learned.answerable.bias)
  return 1 / (1 + Math.exp(-sum))
}

function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
}
