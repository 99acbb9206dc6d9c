/**
 * Learns the weights of recall's features from questions with known evidence. A listwise fit ranks the evidence before
 * the other candidates of its question. A logistic regression on that score then gives a probability.
 */
import { type FeatureDeclaration, features } from '@loomlog/recall/features'
import type { Weights } from '@loomlog/recall/weights'
import { fit } from '../logistic.ts'
import { fitListwise, scoresOf } from './listwise.ts'
import { type TrainingSet, withFeatures } from './training-set.ts'

/** L2 penalty. Features are between 0 and 1, or a little above. */
const penalty = 2e-3
/** L2 penalty on bias and scale of the logistic regression. */
const scalePenalty = 1e-9
/** Significant digits of a weight: enough for the same ranking, and readable. */
const digits = 5

/**
 * Minimum weights of features that the data can't teach. Among few candidates the question's words may be the only
 * difference, and the fit sees only long conversations. Rules find hardly a fact in it, and a model finds many.
 */
const least: { readonly [name: string]: number } = {
  'question words around': 0.5,
  'fact meaning': 0.3,
  'event meaning': 0.1,
}

type FeatureFilter = (feature: FeatureDeclaration) => boolean

const declared = new Map(features.map((feature) => [feature.name, feature]))
const canCountAgainst: FeatureFilter = (feature) => feature.canCountAgainst === true

function passes(name: string, filter: FeatureFilter): boolean {
  const feature = declared.get(name)
  return feature !== undefined && filter(feature)
}

export function learnWeights(trainingSet: TrainingSet): Weights {
  return learn(trainingSet, () => true, new Map()).weights
}

/**
 * For each of the samples, weights that were learned without it.
 *
 * @param isUsed chooses the features to learn weights for
 */
export function learnWithoutEach(
  trainingSet: TrainingSet,
  samples: readonly string[],
  isUsed: FeatureFilter = () => true,
): ReadonlyMap<string, Weights> {
  const bySample = new Map<string, Weights>()
  let start: FittedValues = new Map()
  for (const sample of samples) {
    const others = {
      ...trainingSet,
      queryGroups: trainingSet.queryGroups.filter((queryGroup) => queryGroup.sample !== sample),
    }
    const { weights, first } = learn(others, isUsed, start)
    bySample.set(sample, weights)
    start = first
  }
  return bySample
}

/** By the feature's name, not yet scaled to probabilities. */
type FittedValues = ReadonlyMap<string, number>

/**
 * A feature that counts for a candidate and gets a weight below 0 only corrects others that it correlates with. It is
 * left out, and the rest is fitted again. @param start of the fit; the optimum is unique, and a start near it saves
 * rounds
 */
function learn(
  all: TrainingSet,
  isUsed: FeatureFilter,
  start: FittedValues,
): { readonly weights: Weights; readonly first: FittedValues } {
  let trainingSet = withFeatures(all, (name) => passes(name, isUsed))
  let fitted = fitTo(trainingSet, start)
  const first = fitted
  for (;;) {
    const kept = withFeatures(trainingSet, (name) => (fitted.get(name) ?? 0) >= 0 || passes(name, canCountAgainst))
    if (kept.names.length === trainingSet.names.length) {
      return { weights: probabilistic(trainingSet, fitted, isUsed), first }
    }
    trainingSet = kept
    fitted = fitTo(trainingSet, fitted)
  }
}

function fitTo({ names, queryGroups }: TrainingSet, start: FittedValues): FittedValues {
  const values = fitListwise(
    queryGroups,
    penalty,
    names.map((name) => start.get(name) ?? 0),
  )
  return new Map(names.map((name, at) => [name, values[at] ?? 0]))
}

/** Scales the values so that their weighted sum is a log-odds. */
function probabilistic({ queryGroups }: TrainingSet, fitted: FittedValues, isUsed: FeatureFilter): Weights {
  const values = [...fitted.values()]
  const examples = queryGroups.flatMap((queryGroup) =>
    scoresOf(queryGroup, values).map((score, at) => {
      return {
        features: [1, score],
        isPositive: queryGroup.isEvidence[at] ?? false,
        weight: queryGroup.counts[at] ?? 1,
      }
    }),
  )
  const [bias = 0, scale = 1] = fit(examples, scalePenalty)
  const scaled = Object.fromEntries([...fitted].map(([name, value]) => [name, rounded(scale * value)]))
  const raised = Object.fromEntries(
    Object.entries(least)
      .filter(([name]) => passes(name, isUsed))
      .map(([name, weight]) => [name, Math.max(scaled[name] ?? 0, weight)]),
  )
  return { bias: rounded(bias), features: { ...scaled, ...raised } }
}

function rounded(value: number): number {
  return Number(value.toPrecision(digits))
}
