/** What each part of recall contributes: the weights are learned again without its features, and measured on the conversation left out. */
import { learnedWeights } from '@loomlog/recall/weights'
import { leftOut } from './learn.ts'
import { type Lesson, taughtBy } from './lessons.ts'
import { measured, type Scored, type Shown, scoresOf } from './measures.ts'
import { shownBy } from './ours.ts'
import { lossesOf, tableOf } from './table.ts'

const whole = 'all'
const parts: { readonly [name: string]: RegExp | null } = {
  [whole]: null,
  'without facts': /^fact/,
  'without events and traces': /^event/,
  'without facts, events and traces': /^(?:fact|event)/,
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
  const taught = taughtBy(lessons)
  const scored = new Map<string, readonly Scored[]>()
  for (const [name, without] of Object.entries(parts)) {
    const weights = leftOut(taught, without)
    const shownOf = ({ question, found }: Lesson) =>
      shownBy(weights.get(question.sample) ?? learnedWeights, found, question.text)
    scored.set(name, scoredAs(lessons, shownOf))
    console.error(`measured ${name}: ${scored.size} of ${Object.keys(parts).length}`)
    if (name !== whole) continue
    // Ranked alike, but shown whole, best first.
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
