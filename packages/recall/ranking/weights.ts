/**
 * The weights of the features, learned from questions whose evidence people marked. They are data, and anyone can learn
 * them again with `npm run eval -- corpus --data test/corpus/learn --learn packages/recall/ranking/weights.json`. The
 * weighted sum is the log-odds that a candidate is evidence.
 */
import { readFileSync } from 'node:fs'
import type { CandidateValues } from './candidate-values.ts'
import type { Features } from './features.ts'

export interface Weights {
  readonly bias: number
  /** By the feature's name. A feature without a weight does not count. */
  readonly features: { readonly [name: string]: number }
}

export interface LearnedWeights extends Weights {
  /** Fingerprints of the conversations they were learned from. A measurement on the same conversations is biased. */
  readonly learnedFrom?: readonly string[]
}

export const learnedWeights = JSON.parse(
  readFileSync(new URL('weights.json', import.meta.url), 'utf8'),
) as LearnedWeights

/** A feature without a weight need not be computed for a recall. */
export function hasWeight(feature: string): boolean {
  return (learnedWeights.features[feature] ?? 0) !== 0
}

/** For each candidate, the probability that it is evidence. */
export function probabilities(features: Features, count: number, weights: Weights): CandidateValues {
  return logOdds(features, count, weights).map((sum) => 1 / (1 + Math.exp(-sum)))
}

function logOdds(features: Features, count: number, { bias, features: weights }: Weights): CandidateValues {
  const sums = new Float64Array(count).fill(bias)
  for (const [name, values] of features) {
    const weight = weights[name] ?? 0
    if (weight === 0) continue
    for (let at = 0; at < count; at += 1) sums[at] = (sums[at] as number) + weight * (values[at] as number)
  }
  return sums
}
