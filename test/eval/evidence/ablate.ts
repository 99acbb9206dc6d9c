/**
 * The contribution of each part of recall: weights are learned without its features, and measured on the conversation
 * left out.
 */
import type { FeatureDeclaration } from '@loomlog/recall/features'
import { learnedWeights } from '@loomlog/recall/weights'
import { learnWithoutEach } from '../../learn/recall/learn-weights.ts'
import { trainingSetOf } from '../../learn/recall/training-set.ts'
import type { SearchedQuestion } from './evaluation.ts'
import { outputWith } from './loomlog-method.ts'
import { type MethodOutput, measuresOf, packWhole, type ScoredQuestion, scoresOf } from './measures.ts'
import { lossesOf, lossesText, tableOf } from './table.ts'

const whole = 'all'
const ablatedGroups = ['1-4', '1']
/** By name of the variant: its features. */
const variants: { readonly [name: string]: (feature: FeatureDeclaration) => boolean } = {
  [whole]: () => true,
  'without facts': ({ from }) => from !== 'facts',
  'without events and traces': ({ from }) => from !== 'events',
  'without facts, events and traces': ({ from }) => from !== 'facts' && from !== 'events',
  'without neighbours': ({ part }) => part !== 'neighbours',
  'without the conversation': ({ part }) => part !== 'conversation',
  'without meaning': ({ from }) => !['question vector', 'statement vector', 'facts', 'events'].includes(from),
  'without the question as a statement': ({ from }) => from !== 'statement vector',
  'without names of speakers': ({ part }) => part !== 'speaker',
  'without cues for the answer': ({ part }) => part !== 'wants',
  'without the form of utterances': ({ part }) => part !== 'form',
  'words alone': ({ name }) => name === 'words' || name === 'words rank',
}

/** The recall of each variant, and its loss, for categories 1 to 4 and for category 1 (multi-hop). */
export function ablate(judged: readonly SearchedQuestion[]): object {
  const trainingSet = trainingSetOf([judged])
  const samples = [...new Set(judged.map(({ question }) => question.sample))]
  const scored = new Map<string, readonly ScoredQuestion[]>()
  for (const [name, isUsed] of Object.entries(variants)) {
    const weights = learnWithoutEach(trainingSet, samples, isUsed)
    const outputOf = ({ question, featured }: SearchedQuestion) =>
      outputWith(weights.get(question.sample) ?? learnedWeights, featured, question.text)
    scored.set(name, scoredBy(judged, outputOf))
    console.error(`measured ${name}: ${scored.size} of ${Object.keys(variants).length}`)
    if (name !== whole) continue
    scored.set(
      'without packing',
      scoredBy(judged, (each) => packWhole(outputOf(each), each.items)),
    )
  }
  const methods = new Map([...scored].map(([name, of]) => [name, measuresOf(of, ablatedGroups)]))
  const losses = { '1-4': lossesOf(scored, whole, '1-4'), '1': lossesOf(scored, whole, '1') }
  for (const group of ['1-4', '1'] as const) {
    console.log(`\n${tableOf(methods, group)}`)
    console.log(`\nlost of ${whole}, and 95 %:\n${lossesText(losses[group])}`)
  }
  const figuresOf = (name: string, group: '1-4' | '1') => {
    const lost = losses[group].get(name)
    const { recallAtBudget, recallAtK } = methods.get(name) ?? measuresOf([], ablatedGroups)
    return {
      recallAtBudget: recallAtBudget[group],
      recallAt10: recallAtK[group]?.[10],
      ...(lost !== undefined && { lost }),
    }
  }
  return Object.fromEntries(
    [...methods.keys()].map((name) => [name, { all: figuresOf(name, '1-4'), multiHop: figuresOf(name, '1') }]),
  )
}

function scoredBy(
  judged: readonly SearchedQuestion[],
  outputOf: (judged: SearchedQuestion) => MethodOutput,
): readonly ScoredQuestion[] {
  return judged.map((each) => {
    const { sample, category, gold } = each.question
    return { sample, category, scores: scoresOf(gold, outputOf(each)) }
  })
}
