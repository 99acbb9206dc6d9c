/** What each part of recall contributes: the weights are learned again without its features, and measured on the conversation left out. */
import { learnedWeights } from '@loomlog/recall/weights'
import { type Lesson, leftOut } from './learn.ts'
import { type Measured, measured, type Shown, scoresOf } from './measures.ts'
import { shownBy } from './ours.ts'
import { tableOf } from './table.ts'

const parts: { readonly [name: string]: RegExp | null } = {
  all: null,
  'without facts': /^fact/,
  'without boxes': /^box/,
  'without events and traces': /^event/,
  'without neighbours': /±|around|before|after|is answered/,
  'without the conversation': /^conversation/,
  'without meaning': /meaning|told/,
  'without the question as a statement': /told/,
  'without names of speakers': /named/,
  'without what the question wants': /^holds|time$/,
  'without what it is': /^(?:length|size|rarity|names|quotes|ends asking|shows an image)$/,
  'words alone': /^(?!words$|words place$)/,
}

export function ablate(lessons: readonly Lesson[]): void {
  const methods = new Map<string, Measured>()
  for (const [name, without] of Object.entries(parts)) {
    const weights = leftOut(lessons, without)
    const shownOf = ({ question, found }: Lesson) =>
      shownBy(weights.get(question.sample) ?? learnedWeights, found, question.text)
    methods.set(name, measuredAs(lessons, shownOf))
    if (without !== null) continue
    // Ranked alike, but shown whole, best first.
    methods.set(
      'without packing',
      measuredAs(lessons, (lesson) => ({ ranked: shownOf(lesson).ranked })),
    )
  }
  for (const group of ['1-4', '1']) console.log(`\n${tableOf(methods, group)}`)
}

function measuredAs(lessons: readonly Lesson[], shownOf: (lesson: Lesson) => Shown): Measured {
  return measured(
    lessons.map((lesson) => {
      const { sample, category, gold } = lesson.question
      return { sample, category, scores: scoresOf(gold, shownOf(lesson)) }
    }),
  )
}
