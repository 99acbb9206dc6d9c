/**
 * How likely a message opens a new topic, from 0 to 1: a logistic model over the features below, all of them from content alone.
 */
import { terms } from '@loomlog/language/terms'
import { shiftWeights } from './shift-weights.ts'
import type { ShiftInput } from './tasks.ts'

export const featureNames = [
  'bias',
  'nearnessToLast',
  'nearnessToWindow',
  'sharedTerms',
  'lastAsks',
  'nextAsks',
  'opensWithReference',
  'opensWithReaction',
  'nextLength',
  'sameSpeaker',
] as const

/** @param vectors one for each line of the window, in order, then the new message's; int8, as recorded */
export function shiftScore(input: ShiftInput, vectors: readonly (readonly number[])[]): number {
  const sum = shiftFeatures(input, vectors).reduce(
    (total, value, index) => total + value * (shiftWeights[index] ?? 0),
    0,
  )
  return 1 / (1 + Math.exp(-sum))
}

/** In the order of `featureNames`, each about 0 to 1. */
export function shiftFeatures(input: ShiftInput, vectors: readonly (readonly number[])[]): readonly number[] {
  const last = input.window.at(-1)
  const nextVector = vectors.at(-1) ?? []
  const nearness = vectors.slice(0, -1).map((vector) => cosine(vector, nextVector))
  const next = input.next.text
  return [
    1,
    nearness.at(-1) ?? 0,
    Math.max(0, ...nearness),
    sharedTerms(input),
    flag(last?.text.includes('?') ?? false),
    flag(next.includes('?')),
    flag(/^\W*(it|that|this|they|he|she|those|these|and|but|so|then|also|because)\b/i.test(next)),
    flag(
      /^\W*(yes|yeah|yep|no|nope|wow|thanks|thank|great|cool|nice|awesome|sure|ok|okay|oh|haha|exactly|agreed|true)\b/i.test(
        next,
      ),
    ),
    Math.min(1, next.length / 200),
    flag(last?.speaker === input.next.speaker),
  ]
}

/** The share of the message's content words that the window holds too. */
function sharedTerms(input: ShiftInput): number {
  const said = new Set(input.window.flatMap((line) => terms(line.text)))
  const next = [...new Set(terms(input.next.text))]
  return next.length === 0 ? 0 : next.filter((term) => said.has(term)).length / next.length
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let dot = 0
  let aa = 0
  let bb = 0
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? 0
    dot += x * y
    aa += x * x
    bb += y * y
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb)
}

function flag(condition: boolean): number {
  return condition ? 1 : 0
}
