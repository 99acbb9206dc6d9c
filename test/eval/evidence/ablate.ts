/** The contribution of each part of recall: weights are learned again without its features and measured on the conversation left out. */
import type { FeatureDeclaration } from '@loomlog/recall/features'
import { learnedWeights } from '@loomlog/recall/weights'
import { learnWithoutEach } from './learn-weights.ts'
import { outputWith } from './loomlog-method.ts'
import { type MethodOutput, measured, type ScoredQuestion, scoresOf } from './measures.ts'
import { lossesOf, lossesText, tableOf } from './table.ts'
import { type JudgedQuestion, trainingSetOf } from './training-set.ts'

const whole = 'all'
const ablatedGroups = ['1-4', '1']
/** By the name of each variant, the features that it keeps. */
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

/** The variants' recall, and the recall that they lose, of categories 1 to 4 and of category 1 (multi-hop). */
export function ablate(judged: readonly JudgedQuestion[]): object {
  const trainingSet = trainingSetOf([judged])
  const samples = [...new Set(judged.map(({ question }) => question.sample))]
  const scored = new Map<string, readonly ScoredQuestion[]>()
  for (const [name, isUsed] of Object.entries(variants)) {
    const weights = learnWithoutEach(trainingSet, samples, isUsed)
    const outputOf = ({ question, featured }: JudgedQuestion) =>
      outputWith(weights.get(question.sample) ?? learnedWeights, featured, question.text)
    scored.set(name, scoredBy(judged, outputOf))
    console.error(`measured ${name}: ${scored.size} of ${Object.keys(variants).length}`)
    if (name !== whole) continue
    // The same ranking, with whole utterances, best first.
    scored.set(
      'without packing',
      scoredBy(judged, (each) => ({ ranked: outputOf(each).ranked })),
    )
  }
  const methods = new Map([...scored].map(([name, of]) => [name, measured(of, ablatedGroups)]))
  const losses = { '1-4': lossesOf(scored, whole, '1-4'), '1': lossesOf(scored, whole, '1') }
  for (const group of ['1-4', '1'] as const) {
    console.log(`\n${tableOf(methods, group)}`)
    console.log(`\nlost of ${whole}, and 95 %:\n${lossesText(losses[group])}`)
  }
  const figuresOf = (name: string, group: '1-4' | '1') => {
    const lost = losses[group].get(name)
    const { recallAtBudget, recallAtK } = methods.get(name) ?? measured([], ablatedGroups)
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
  judged: readonly JudgedQuestion[],
  outputOf: (judged: JudgedQuestion) => MethodOutput,
): readonly ScoredQuestion[] {
  return judged.map((each) => {
    const { sample, category, gold } = each.question
    return { sample, category, scores: scoresOf(gold, outputOf(each)) }
  })
}
