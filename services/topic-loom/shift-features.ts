/**
 * Features of a gap between two lines: how near the lines on both sides are to each other, in embedding and in words;
 * how they open and close; and how all of that compares with the conversation so far. Content alone counts, and neither
 * the speaker nor the position.
 */
import { terms } from '@loomlog/language/terms'
import { type Cues, cuesOf, noCues } from './cues.ts'
import { groupSimilarity, similarity, usualSimilarity } from './readings.ts'
import type { LineReading } from './state.ts'

/** A gap: the line at `at` opens a box or not. */
type Gap = { readonly readings: readonly LineReading[]; readonly at: number }

/** Similarities that are also compared with those of the conversation so far, with their usual mean and deviation. */
export const usualSimilarities = {
  toLast: [0.16, 0.2],
  toThree: [0.15, 0.17],
  twoToTwo: [0.16, 0.18],
  threeToThree: [0.15, 0.16],
  nearestOfThree: [0.3, 0.18],
} as const satisfies { readonly [name: string]: readonly [mean: number, deviation: number] }

type Relative = keyof typeof usualSimilarities
export const relativeFeatures = Object.keys(usualSimilarities) as readonly Relative[]

export type Features = { readonly [name: string]: number }

/** Everything but the comparison with the conversation. */
export function gapFeatures(gap: Gap): Features {
  return { ...similarities(gap), ...sharedWords(gap), ...openings(gap), ...leans(gap) }
}

function similarities({ readings, at }: Gap) {
  const before = range(Math.max(0, at - 3), at)
  const after = range(at, Math.min(readings.length, at + 3))
  const two = before.slice(-2)
  const near = (one: number, other: number) => similarity(readings, one, other)
  const between = (one: readonly number[], other: readonly number[]) => groupSimilarity(readings, one, other)
  const pairs = (one: readonly number[], other: readonly number[]) => one.flatMap((i) => other.map((j) => near(i, j)))
  const depth = (curve: (gap: number) => number, from: number, to: number) =>
    Math.max(0, ...range(Math.max(1, from), Math.min(readings.length, to)).map((gap) => curve(gap) - curve(at)))
  const blocks = (gap: number) =>
    between(range(Math.max(0, gap - 2), gap), range(gap, Math.min(readings.length, gap + 2)))
  const lines = (gap: number) => near(gap - 1, gap)
  const [older = at - 1] = two
  return {
    toLast: near(at - 1, at),
    toEither: Math.max(...two.map((line) => near(line, at))),
    toTwo: between(two, [at]),
    toThree: between(before, [at]),
    twoToTwo: between(two, after.slice(0, 2)),
    threeToThree: between(before, after),
    lastToThree: between([at - 1], after),
    nearestOfThree: Math.max(...pairs(before, after)),
    nearestOfTwo: Math.max(...pairs(two, after.slice(0, 2))),
    pastOpening: highest(pairs(two, after.slice(1))),
    withinTwo: two.length === 2 ? near(older, at - 1) : usualSimilarity,
    withinBefore: coherence(before, near),
    withinAfter: coherence(after, near),
    followed: highest(pairs([at], after.slice(1))),
    depthBefore: depth(blocks, at - 3, at),
    depthAfter: depth(blocks, at + 1, at + 2),
    lineDepthBefore: depth(lines, at - 2, at),
    lineDepthAfter: depth(lines, at + 1, at + 3),
  }
}

function coherence(lines: readonly number[], near: (one: number, other: number) => number): number {
  const all = lines.flatMap((one) => lines.filter((other) => other > one).map((other) => near(one, other)))
  return all.length === 0 ? usualSimilarity : all.reduce((sum, value) => sum + value, 0) / all.length
}

function highest(values: readonly number[]): number {
  return values.length === 0 ? usualSimilarity : Math.max(...values)
}

function sharedWords({ readings, at }: Gap) {
  const words = (from: number, to: number) =>
    new Set(readings.slice(Math.max(0, from), to).flatMap(({ text }) => terms(text)))
  const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>) => [...one].filter((each) => other.has(each))
  const [opening, last, two, before] = [words(at, at + 1), words(at - 1, at), words(at - 2, at), words(at - 3, at)]
  const [after, all] = [words(at + 1, at + 3), words(at, at + 3)]
  const fresh = new Set([...opening].filter((word) => !before.has(word)))
  return {
    sharedWithLast: Math.min(1, shared(opening, last).length / 3),
    sharedWithTwo: Math.min(1, shared(opening, two).length / 3),
    sharedByAll: Math.min(1, shared(all, before).length / 4),
    sharedPastOpening: Math.min(1, shared(after, before).length / 3),
    newTerms: Math.min(1, Math.log1p(opening.size - shared(opening, two).length) / 3),
    newTermsTakenUp: Math.min(1, shared(fresh, after).length / 2),
    termsOfOpening: Math.min(1, Math.log1p(opening.size) / 3),
    termsOfLast: Math.min(1, Math.log1p(last.size) / 3),
  }
}

function openings({ readings, at }: Gap): Features {
  const cues = (line: number) => (readings[line] ? cuesOf(readings[line].text) : noCues)
  const [older, last, opening, after] = [cues(at - 2), cues(at - 1), cues(at), cues(at + 1)]
  const closes = (line: Cues) => Math.max(line.concludes, line.saysGoodbye)
  return {
    ...namedFeatures('last', last),
    ...namedFeatures('opening', opening),
    ...namedFeatures('after', after),
    olderCloses: closes(older),
    olderAsks: older.asks,
    questionAfterQuestion: last.asks * opening.asks,
    ownMatterUnasked: (1 - last.asks) * opening.opensWithSelf,
    requestUnasked: (1 - last.asks) * opening.requests,
    goesOnAfterClose: closes(last) * (1 - Math.max(closes(opening), opening.thanks)),
    requestAfterClose: closes(last) * opening.requests,
    longAfterShort: Math.max(0, opening.words - last.words),
    questionAnswered: opening.asks * (1 - after.asks),
    questionUnanswered: last.asks * opening.asks * (1 - opening.reacts),
  }
}

function leans({ readings, at }: Gap) {
  return {
    leanOfOpening: readings[at]?.leans.opening ?? 0,
    leanOfLast: readings[at - 1]?.leans.last ?? 0,
    leanOfAfter: readings[at + 1]?.leans.after ?? 0,
  }
}

function namedFeatures(line: string, cues: Cues): Features {
  return Object.fromEntries(Object.entries(cues).map(([name, value]) => [`${line}.${name}`, value]))
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
}
