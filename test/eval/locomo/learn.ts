/**
 * Learns the weights of recall's features from questions whose evidence is known: so that evidence comes before the other candidates of its
 * question, and then, by logistic regression on that score, so that the score is a probability.
 */
import { type FeatureDeclaration, features } from '@loomlog/recall/features'
import type { Weights } from '@loomlog/recall/weights'
import { fit } from '../logistic.ts'
import { type Taught, withOnly } from './lessons.ts'
import { fitListwise, scoresOf } from './listwise.ts'

/** Features lie between 0 and 1, or not far above. */
const penalty = 2e-3
/** On the two numbers that make a probability of a score. */
const scalePenalty = 1e-9
/** Enough digits to give the same ranking, few enough to be read. */
const digits = 5

/**
 * The least weight of one feature. Among few candidates the question's words may be the only difference, and the fit sees only long
 * conversations.
 */
const least = { name: 'question words around', weight: 0.5 }

const declared = new Map(features.map((feature) => [feature.name, feature]))

type FeatureFilter = (feature: FeatureDeclaration) => boolean

const canCountAgainst: FeatureFilter = (feature) => feature.canCountAgainst === true

function passes(name: string, filter: FeatureFilter): boolean {
  const feature = declared.get(name)
  return feature !== undefined && filter(feature)
}

export function weightsFrom(taught: Taught): Weights {
  return learned(taught, () => true, new Map()).weights
}

/**
 * For each sample, weights that were learned without it.
 *
 * @param isUsed chooses the features to learn weights for
 */
export function leftOut(taught: Taught, isUsed: FeatureFilter = () => true): ReadonlyMap<string, Weights> {
  const found = new Map<string, Weights>()
  let near: Fitted = new Map()
  for (const left of new Set(taught.contests.map(({ sample }) => sample))) {
    const others = { ...taught, contests: taught.contests.filter(({ sample }) => sample !== left) }
    const { weights, first } = learned(others, isUsed, near)
    found.set(left, weights)
    near = first
  }
  return found
}

/** By the feature's name, not yet scaled to probabilities. */
type Fitted = ReadonlyMap<string, number>

/**
 * What the fit gives a weight below 0, though it speaks for a candidate, only makes up for what it has in common with others: it is left
 * out, and the rest fitted again.
 *
 * @param near where the fit begins: it ends at the same best, which is the only one, and sooner
 */
function learned(
  all: Taught,
  isUsed: FeatureFilter,
  near: Fitted,
): { readonly weights: Weights; readonly first: Fitted } {
  let taught = withOnly(all, (name) => passes(name, isUsed))
  let fitted = fittedTo(taught, near)
  const first = fitted
  for (;;) {
    const kept = withOnly(taught, (name) => (fitted.get(name) ?? 0) >= 0 || passes(name, canCountAgainst))
    if (kept.names.length === taught.names.length) return { weights: likely(taught, fitted, isUsed), first }
    taught = kept
    fitted = fittedTo(taught, fitted)
  }
}

function fittedTo({ names, contests }: Taught, near: Fitted): Fitted {
  const start = names.map((name) => near.get(name) ?? 0)
  const values = fitListwise(contests, penalty, start)
  return new Map(names.map((name, at) => [name, values[at] ?? 0]))
}

/** The weights times what makes a probability of their sum. */
function likely({ contests }: Taught, fitted: Fitted, isUsed: FeatureFilter): Weights {
  const values = [...fitted.values()]
  const examples = contests.flatMap((contest) =>
    scoresOf(contest, values).map((score, at) => {
      return { features: [1, score], isShift: contest.isEvidence[at] ?? false, weight: contest.counts[at] ?? 1 }
    }),
  )
  const [bias = 0, scale = 1] = fit(examples, scalePenalty)
  const learned = Object.fromEntries([...fitted].map(([name, value]) => [name, rounded(scale * value)]))
  const raised = passes(least.name, isUsed) && { [least.name]: Math.max(learned[least.name] ?? 0, least.weight) }
  return { bias: rounded(bias), features: { ...learned, ...raised } }
}

export function rounded(value: number): number {
  return Number(value.toPrecision(digits))
}
