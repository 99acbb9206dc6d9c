/**
 * The probability that the memory has the answer at all, since every search returns something. Its signs come from the ranking: how likely
 * the best candidate is and how many others are as likely; and, where the question names a speaker, whether the best candidate is
 * theirs. A statement by another speaker is the most common false answer.
 */
import type { CandidateValues } from './candidate-values.ts'
import { type Features, otherSpeakerNamed, speakerNamed } from './features.ts'
import { answerSigns, type LearnedWeights, learnedWeights, logOdds, type Weights } from './weights.ts'

/** The value of each sign for one question. */
export type AnswerSigns = { readonly [sign in (typeof answerSigns)[number]]: number }

/** Null: there is no candidate. */
export function answerSignsOf(features: Features, count: number, weights: Weights): AnswerSigns | null {
  if (count === 0) return null
  const odds = logOdds(features, count, weights)
  const best = highest(odds)
  const named = features.get(speakerNamed) ?? []
  const other = features.get(otherSpeakerNamed) ?? []
  const [forNamed = 0, forOther = 0] = [speakerNamed, otherSpeakerNamed].map((name) => weights.features[name] ?? 0)
  const withoutSpeaker = odds.map((each, at) => each - forNamed * (named[at] ?? 0) - forOther * (other[at] ?? 0))
  const bestOfNamed = highest(withoutSpeaker.filter((_, at) => named[at] === 1))
  const bestOfOthers = highest(withoutSpeaker.filter((_, at) => other[at] === 1))
  const lead = Number.isFinite(bestOfNamed) && Number.isFinite(bestOfOthers) ? bestOfNamed - bestOfOthers : 0
  return {
    best,
    crowd: Math.log(odds.reduce((sum, each) => sum + Math.exp(each - best), 0)),
    named: Number(Number.isFinite(bestOfNamed)),
    ahead: Math.max(0, lead),
    behind: Math.max(0, -lead),
  }
}

/** A probability, learned from questions with and without an answer. */
export function answerable(features: Features, count: number, weights: LearnedWeights = learnedWeights): number {
  const values = answerSignsOf(features, count, weights)
  if (values === null) return 0
  const sum = answerSigns.reduce(
    (total, sign) => total + weights.answerable[sign] * values[sign],
    weights.answerable.bias,
  )
  return 1 / (1 + Math.exp(-sum))
}

function highest(values: CandidateValues): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
}
