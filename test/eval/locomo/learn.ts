/**
 * Learns the weights of recall's features from questions whose evidence is known: so that evidence comes before the other candidates of its
 * question, and then, by logistic regression on that score, so that the score is a probability. Of what is far from
 * promising a part is taken, which weighs as much more. Questions of category 5 have no answer, and teach nothing.
 */
import type { Examined } from '@loomlog/recall/utterances'
import type { Weights } from '@loomlog/recall/weights'
import { fit } from '../logistic.ts'
import type { Question } from './dataset.ts'
import { type Contest, fitListwise, scoresOf } from './listwise.ts'

export interface Lesson {
  readonly question: Question
  readonly found: Examined
}

/** Of the candidates that are no evidence, the most promising are taken, and every so manieth of the rest. */
const promising = 80
const takenOf = 12
/** Features lie between 0 and 1, or not far above. */
const penalty = 2e-3
/** On the two numbers that make a probability of a score. */
const scalePenalty = 1e-9
/** Enough digits to give the same ranking, few enough to be read. */
const digits = 5

/** These say what a candidate is; all others are what speaks for it, and must not count against it. */
const eitherWay = /^(?:other speaker named|length|size|names|quotes|rarity|ends asking|shows an image|is answered)$/

/**
 * To hold the question's words always counts something: among few candidates nothing else may tell them apart, and the fit, which has seen
 * only long conversations, says nothing of that.
 */
const held = 'words held around'
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
  let start: readonly number[] = names.map(() => 0)
  for (;;) {
    const contests = teaching.map((lesson) => contestOf(lesson, names))
    const values = fitListwise(contests, penalty, start)
    const kept = names.filter((name, at) => (values[at] ?? 0) >= 0 || eitherWay.test(name))
    if (kept.length === names.length) return likely(contests, names, values, without)
    start = values.filter((_, at) => kept.includes(names[at] ?? ''))
    names = kept
  }
}

/** The weights times what makes a probability of their sum. */
function likely(
  contests: readonly Contest[],
  names: readonly string[],
  values: readonly number[],
  without: RegExp | null,
): Weights {
  const examples = contests.flatMap((contest) =>
    scoresOf(contest, values).map((score, at) => {
      return { features: [1, score], isShift: contest.isEvidence[at] ?? false, weight: contest.counts[at] ?? 1 }
    }),
  )
  const [bias = 0, scale = 1] = fit(examples, scalePenalty)
  const learned = Object.fromEntries(names.map((name, at) => [name, rounded(scale * (values[at] ?? 0))]))
  const least = without?.test(held) ? {} : { [held]: Math.max(learned[held] ?? 0, leastHeld) }
  return { bias: rounded(bias), features: { ...learned, ...least } }
}

function rounded(value: number): number {
  return Number(value.toPrecision(digits))
}

function contestOf({ question, found }: Lesson, names: readonly string[]): Contest {
  const gold = new Set(question.gold)
  const columns = names.map((name) => found.features.get(name) ?? [])
  const isGold = found.candidates.map(({ memory }) => gold.has(memory.id))
  const promise = ['words around', 'told share', 'fact meaning'].map((name) => found.features.get(name) ?? [])
  const promiseOf = (at: number) => promise.reduce((sum, values) => sum + (values[at] ?? 0), 0)
  const others = [...isGold.keys()].filter((at) => !isGold[at]).sort((a, b) => promiseOf(b) - promiseOf(a))
  const taken = [
    ...[...isGold.keys()].filter((at) => isGold[at]).map((at) => ({ at, count: 1 })),
    ...others.slice(0, promising).map((at) => ({ at, count: 1 })),
    ...others.slice(promising).flatMap((at, place) => (place % takenOf === 0 ? [{ at, count: takenOf }] : [])),
  ]
  return {
    rows: taken.map(({ at }) => Float64Array.from(columns, (values) => values[at] ?? 0)),
    isEvidence: taken.map(({ at }) => isGold[at] ?? false),
    counts: taken.map(({ count }) => count),
  }
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
