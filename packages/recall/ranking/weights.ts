/**
 * The weights of the features, learned from questions whose evidence people marked, so that it comes before the others: data, with a recipe that
 * anyone can run (`npm run eval -- locomo --data FILE --learn packages/recall/ranking/weights.json`). What comes out is a probability.
 */
import { readFileSync } from 'node:fs'
import type { Features } from './features.ts'

export interface Weights {
  readonly bias: number
  /** By the feature's name; a feature without one doesn't count. */
  readonly features: { readonly [name: string]: number }
}

/** What tells whether a question has an answer here: see `answerable.ts`. */
export const signs = ['best', 'crowd', 'named', 'ahead', 'behind'] as const
export type SignWeights = { readonly [sign in 'bias' | (typeof signs)[number]]: number }

export interface Learned extends Weights {
  readonly answerable: SignWeights
  /** Marks of the conversations that they were learned from: measured on those, they are measured on what they have seen. */
  readonly learnedFrom?: readonly string[]
}

export const learnedWeights = JSON.parse(readFileSync(new URL('weights.json', import.meta.url), 'utf8')) as Learned

/** How likely each candidate is to be evidence. */
export function probabilities(features: Features, count: number, weights: Weights): readonly number[] {
  return logOdds(features, count, weights).map((sum) => 1 / (1 + Math.exp(-sum)))
}

export function logOdds(features: Features, count: number, { bias, features: weights }: Weights): readonly number[] {
  const sums = new Array<number>(count).fill(bias)
  for (const [name, values] of features) {
    const weight = weights[name] ?? 0
    if (weight === 0) continue
    for (const [at, value] of values.entries()) sums[at] = (sums[at] ?? 0) + weight * value
  }
  return sums
}
