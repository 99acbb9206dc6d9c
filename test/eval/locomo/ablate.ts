/** The contribution of each part of recall: weights are learned again without its features and measured on the conversation left out. */
import type { FeatureDeclaration } from '@loomlog/recall/features'
import { learnedWeights } from '@loomlog/recall/weights'
import { leftOut } from './learn.ts'
import { type Lesson, taughtBy } from './lessons.ts'
import { measured, type Scored, type Shown, scoresOf } from './measures.ts'
import { shownBy } from './ours.ts'
import { lossesOf, tableOf } from './table.ts'

const whole = 'all'
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

export function ablate(lessons: readonly Lesson[]): void {
  const taught = taughtBy(lessons)
  const scored = new Map<string, readonly Scored[]>()
  for (const [name, isUsed] of Object.entries(variants)) {
    const weights = leftOut(taught, isUsed)
    const shownOf = ({ question, found }: Lesson) =>
      shownBy(weights.get(question.sample) ?? learnedWeights, found, question.text)
    scored.set(name, scoredAs(lessons, shownOf))
    console.error(`measured ${name}: ${scored.size} of ${Object.keys(variants).length}`)
    if (name !== whole) continue
    // The same ranking, with whole utterances, best first.
    const ranked = scoredAs(lessons, (lesson) => ({ ranked: shownOf(lesson).ranked }))
    scored.set('without packing', ranked)
  }
  const methods = new Map([...scored].map(([name, of]) => [name, measured(of)]))
  for (const group of ['1-4', '1']) {
    console.log(`\n${tableOf(methods, group)}`)
    console.log(`\nlost of ${whole}, and 95 %:\n${lossesOf(scored, whole, group)}`)
  }
}

function scoredAs(lessons: readonly Lesson[], shownOf: (lesson: Lesson) => Shown): readonly Scored[] {
  return lessons.map((lesson) => {
    const { sample, category, gold } = lesson.question
    return { sample, category, scores: scoresOf(gold, shownOf(lesson)) }
  })
}
