/**
 * Learns the weights of recall's features from questions whose evidence is known: logistic regression with an L2 penalty, the evidence among the
 * candidates against a part of the others, which weigh as much more. Questions of category 5 have no answer, and teach nothing.
 */
import type { Examined } from '@loomlog/recall/utterances'
import type { Weights } from '@loomlog/recall/weights'
import { fit, type Weighted } from '../logistic.ts'
import type { Question } from './dataset.ts'

export interface Lesson {
  readonly question: Question
  readonly found: Examined
}

/** Of the candidates that are no evidence, every so manieth is taken. */
const takenOf = 2
/** One candidate in hundreds is evidence, so the mean loss is small, and features lie between 0 and 1. */
const penalty = 3e-6
/** Enough digits to give the same ranking, few enough to be read. */
const digits = 5

/** These say what a candidate is; all others are what speaks for it, and must not count against it. */
const eitherWay = /^(?:other speaker named|length|asks|ends asking|shows an image|is answered)$/

/**
 * To hold the question's words always counts something: among few candidates nothing else may tell them apart, and the fit, which has seen
 * only long conversations, says nothing of that.
 */
const held = 'words held'
const leastHeld = 0.5

/**
 * What the fit gives a weight below 0, though it speaks for a candidate, only makes up for what it has in common with others: it is left
 * out, and the rest fitted again.
 *
 * @param without a feature that these words name takes no part
 */
export function weightsFrom(lessons: readonly Lesson[], without: RegExp | null = null): Weights {
  const teaching = lessons.filter(({ question }) => question.category !== '5')
  let names = [...(teaching[0]?.found.features.keys() ?? [])].filter((name) => !without?.test(name))
  let start: readonly number[] = []
  for (;;) {
    const examples = teaching.flatMap((lesson) => examplesOf(lesson, names))
    const [bias = 0, ...values] = fit(examples, penalty, start)
    const kept = names.filter((name, at) => (values[at] ?? 0) >= 0 || eitherWay.test(name))
    if (kept.length === names.length) {
      const learned = Object.fromEntries(names.map((name, at) => [name, rounded(values[at] ?? 0)]))
      const features = {
        ...learned,
        ...(without?.test(held) ? {} : { [held]: Math.max(learned[held] ?? 0, leastHeld) }),
      }
      return { bias: rounded(bias), features }
    }
    start = [bias, ...values.filter((_, at) => kept.includes(names[at] ?? ''))]
    names = kept
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(digits))
}

function examplesOf({ question, found }: Lesson, names: readonly string[]): readonly Weighted[] {
  const gold = new Set(question.gold)
  const columns = names.map((name) => found.features.get(name) ?? [])
  return found.candidates.flatMap(({ memory }, at) => {
    const isShift = gold.has(memory.id)
    if (!isShift && at % takenOf !== 0) return []
    return [{ features: [1, ...columns.map((values) => values[at] ?? 0)], isShift, weight: isShift ? 1 : takenOf }]
  })
}

/** For each sample, weights that were learned without it. */
export function leftOut(lessons: readonly Lesson[], without: RegExp | null = null): ReadonlyMap<string, Weights> {
  const samples = new Set(lessons.map(({ question }) => question.sample))
  return new Map(
    [...samples].map((left) => [
      left,
      weightsFrom(
        lessons.filter(({ question }) => question.sample !== left),
        without,
      ),
    ]),
  )
}
