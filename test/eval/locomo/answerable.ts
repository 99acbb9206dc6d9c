/**
 * Whether recall can tell a question that the memory answers from one that it doesn't: categories 1 to 4 against 5, whose questions sound as if
 * they had an answer, most of them because somebody else said or did what is asked about. LearnedWeights by logistic regression on the few signs.
 */
import { answerable, signsOf } from '@loomlog/recall/answerable'
import { type LearnedWeights, type SignWeights, signs, type Weights } from '@loomlog/recall/weights'
import { auc } from '../agreement.ts'
import { fit } from '../logistic.ts'
import { rounded } from './learn.ts'
import type { Lesson } from './lessons.ts'
import { mean } from './measures.ts'

const penalty = 1e-3
/** Of the calibration: questions are put together by tenths of what is foretold. */
const bins = 10

export function withSigns(weights: Weights, lessons: readonly Lesson[]): LearnedWeights {
  const examples = lessons.flatMap(({ question, found: { features, candidates } }) => {
    const seen = signsOf(features, candidates.length, weights)
    return seen === null
      ? []
      : [{ features: [1, ...signs.map((sign) => seen[sign])], isShift: isAnswered(question), weight: 1 }]
  })
  const values = fit(examples, penalty)
  const named = ['bias', ...signs].map((sign, at) => [sign, rounded(values[at] ?? 0)])
  return { ...weights, answerable: Object.fromEntries(named) as SignWeights }
}

/** How well it is told: AUC, and by how much what is foretold is off (the expected calibration error). */
export function toldApart(lessons: readonly Lesson[], weightsOf: (sample: string) => LearnedWeights): string {
  const foretold = lessons.map(({ question, found: { features, candidates } }) => {
    const chance = answerable(features, candidates.length, weightsOf(question.sample))
    return { sample: question.sample, isShift: isAnswered(question), chance }
  })
  const aucOf = (of: typeof foretold) => auc(of, ({ chance }) => chance)
  const each = [...Map.groupBy(foretold, ({ sample }) => sample).values()].map(aucOf)
  const binned = [...Map.groupBy(foretold, ({ chance }) => Math.min(bins - 1, Math.floor(chance * bins))).values()]
  const off = binned.map(
    (of) => Math.abs(mean(of.map(({ chance }) => chance)) - mean(of.map(({ isShift }) => Number(isShift)))) * of.length,
  )
  const error = off.reduce((sum, value) => sum + value, 0) / foretold.length
  return (
    `answerable, categories 1 to 4 against 5: AUC ${aucOf(foretold).toFixed(3)}, by conversation ` +
    `${Math.min(...each).toFixed(3)} to ${Math.max(...each).toFixed(3)}; calibration error ${error.toFixed(3)}`
  )
}

function isAnswered({ category }: Lesson['question']): boolean {
  return category !== '5'
}
