/**
 * Learns and measures how well recall distinguishes questions with an answer in the memory from those without. Most of LoCoMo's questions
 * without an answer name one speaker and ask about words or deeds of the other. A logistic regression learns the weights of the signs.
 */
import { answerable, answerSignsOf } from '@loomlog/recall/answerable'
import { type AnswerSignWeights, answerSigns, type LearnedWeights, type Weights } from '@loomlog/recall/weights'
import { auc } from '../agreement.ts'
import { fit } from '../logistic.ts'
import { mean } from '../mean.ts'
import { rounded } from './learn-weights.ts'
import { hasAnswer } from './measures.ts'
import type { JudgedQuestion } from './training-set.ts'

const penalty = 1e-3
/** Number of bins of the calibration error, by predicted probability. */
const bins = 10

export function withAnswerable(weights: Weights, judged: readonly JudgedQuestion[]): LearnedWeights {
  const examples = judged.flatMap(({ question, featured: { features, candidates } }) => {
    const values = answerSignsOf(features, candidates.length, weights)
    return values === null
      ? []
      : [{ features: [1, ...answerSigns.map((sign) => values[sign])], isShift: hasAnswer(question), weight: 1 }]
  })
  const learned = fit(examples, penalty)
  const named = ['bias', ...answerSigns].map((sign, at) => [sign, rounded(learned[at] ?? 0)])
  return { ...weights, answerable: Object.fromEntries(named) as AnswerSignWeights }
}

export interface AnswerableQuality {
  readonly auc: number
  /** Over the conversations. */
  readonly lowest: number
  readonly highest: number
  /** Expected calibration error: the mean difference between predicted and actual shares. */
  readonly calibrationError: number
}

export function answerableQuality(
  judged: readonly JudgedQuestion[],
  weightsOf: (sample: string) => LearnedWeights,
): AnswerableQuality {
  const predictions = judged.map(({ question, featured: { features, candidates } }) => {
    const chance = answerable(features, candidates.length, weightsOf(question.sample))
    return { sample: question.sample, isShift: hasAnswer(question), chance }
  })
  const aucOf = (of: typeof predictions) => auc(of, ({ chance }) => chance)
  const bySample = [...Map.groupBy(predictions, ({ sample }) => sample).values()].map(aucOf)
  const binOf = ({ chance }: { readonly chance: number }) => Math.min(bins - 1, Math.floor(chance * bins))
  const errors = [...Map.groupBy(predictions, binOf).values()].map((of) => {
    const [predicted, actual] = [mean(of.map(({ chance }) => chance)), mean(of.map(({ isShift }) => Number(isShift)))]
    return Math.abs(predicted - actual) * of.length
  })
  return {
    auc: aucOf(predictions),
    lowest: Math.min(...bySample),
    highest: Math.max(...bySample),
    calibrationError: errors.reduce((sum, error) => sum + error, 0) / predictions.length,
  }
}

export function answerableText({ auc, lowest, highest, calibrationError }: AnswerableQuality): string {
  return (
    `answerable: AUC ${auc.toFixed(3)}, by conversation ` +
    `${lowest.toFixed(3)} to ${highest.toFixed(3)}; calibration error ${calibrationError.toFixed(3)}`
  )
}
