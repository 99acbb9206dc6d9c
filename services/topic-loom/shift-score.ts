/**
 * The probability that a message opens a new topic: a logistic model over features of the message and the two before it. All
 * features come from content; position in the conversation and speaker do not count. Each is about 0 to 1.
 */
import { cosine } from '@loomlog/language/cosine'
import { terms } from '@loomlog/language/terms'
import { shiftWeights } from './shift-weights.ts'
import type { ShiftInput } from './task-types.ts'

/** The input of every feature. */
type Comparison = {
  readonly last: string
  readonly next: string
  readonly nearness: Nearness
  /** Numbers of content words: shared with the last message, and missing in the window. */
  readonly sharedTerms: number
  readonly newTerms: number
}
type Nearness = { readonly toLast: number; readonly toEither: number; readonly toBoth: number; readonly within: number }

/** Every feature, with its reason. */
const features = {
  bias: () => 1,
  /** Messages on one subject are similar. */
  nearnessToLast: ({ nearness }: Comparison) => nearness.toLast,
  /** People often alternate between two threads: the message may continue the older one. */
  nearnessToEither: ({ nearness }: Comparison) => nearness.toEither,
  /** Both messages together say more than either alone, because one of them is often a short reaction. */
  nearnessToBoth: ({ nearness }: Comparison) => nearness.toBoth,
  /** A coherent window makes a distant message stand out. */
  nearnessWithinWindow: ({ nearness }: Comparison) => nearness.within,
  /** Exact words; the embedding sees only the gist. */
  sharedTerms: ({ sharedTerms }: Comparison) => Math.min(1, sharedTerms / 3),
  /** A new subject brings new words; a reaction brings few. */
  newTerms: ({ newTerms }: Comparison) => Math.min(1, Math.log1p(newTerms) / 3),
  /** A reaction and then a new subject take several sentences. */
  sentences: ({ next }: Comparison) =>
    Math.min(1, next.split(/[.!?]+/).filter((part) => /\p{L}/u.test(part)).length / 5),
  /** After a question people answer. */
  afterQuestion: ({ last }: Comparison) => flag(asks(last)),
  /** A question after a question: often small talk that moves on. */
  questionAfterQuestion: ({ last, next }: Comparison) => flag(asks(last) && asks(next)),
  /** A question to the other person is the most common way to open a subject. */
  asksOther: ({ next }: Comparison) => flag(asks(next) && askingOther.test(next)),
  /** Speaking of oneself unasked is the second most common. */
  ownMatterUnasked: ({ last, next }: Comparison) => flag(!asks(last) && openingWithSelf.test(next)),
  /** "It", "they" and "too" refer to earlier messages. */
  pointsBack: ({ next }: Comparison) => flag(pointingBack.test(next)),
  /** A greeting starts over. */
  greets: ({ next }: Comparison) => flag(greeting.test(next)),
  /** After a goodbye a new subject follows. */
  afterGoodbye: ({ last }: Comparison) => flag(goodbye.test(last)),
} as const satisfies { readonly [name: string]: (seen: Comparison) => number }

const askingOther =
  /\b(do|are|have|did|would|can|will|what|where|how|which|who|why|any|when)\b[^.!?]*\b(you|your|u|ya)\b/i
const openingWithSelf = /^\W*(i|my|i['’]?m|i['’]?ve|we|our)\b/i
const pointingBack = /\b(it|its|that|this|they|them|he|him|his|she|her|hers|those|these|too|there|ones?)\b/i
const greeting = /^\W*(hi|hello|hey|hiya|good (morning|evening|afternoon|day)|greetings|long time)\b/i
const goodbye =
  /\b(bye|goodbye|see (you|ya)|talk (to you )?(soon|later)|take care|catch (you|up) later|good night|have a (great|good|nice)|gotta go|have to go|off to|keep in touch)\b/i

export type FeatureName = keyof typeof features
export const featureNames = Object.keys(features) as readonly FeatureName[]

type Vector = readonly number[]

/** @param vectors of the window's lines in order, then of the new message; int8, as recorded */
export function shiftScore(input: ShiftInput, vectors: readonly Vector[]): number {
  const values = shiftFeatures(input, vectors)
  const sum = featureNames.reduce((total, name, index) => total + shiftWeights[name] * (values[index] ?? 0), 0)
  return 1 / (1 + Math.exp(-sum))
}

/** In the order of `featureNames`. */
export function shiftFeatures(input: ShiftInput, vectors: readonly Vector[]): readonly number[] {
  const window = input.window.map((line) => line.text.slice(0, charactersRead))
  const next = input.next.text.slice(0, charactersRead)
  const last = window.at(-1) ?? ''
  const inLast = new Set(terms(last))
  const inWindow = new Set(window.flatMap(terms))
  const inNext = [...new Set(terms(next))]
  const comparison: Comparison = {
    last,
    next,
    nearness: nearnessOf(vectors.slice(0, -1), vectors.at(-1) ?? []),
    sharedTerms: inNext.filter((term) => inLast.has(term)).length,
    newTerms: inNext.filter((term) => !inWindow.has(term)).length,
  }
  return featureNames.map((name) => features[name](comparison))
}

/** The embedder reads no further either; the beginning of a long paste is enough. */
const charactersRead = 2_000

/** The similarity within a window of one message: that of two average neighbours. */
const usualNearness = 0.25

function nearnessOf(window: readonly Vector[], next: Vector): Nearness {
  const last = window.at(-1) ?? []
  const before = window.at(-2)
  const toLast = cosine(last, next)
  if (!before) return { toLast, toEither: toLast, toBoth: toLast, within: usualNearness }
  const toBefore = cosine(before, next)
  const within = cosine(before, last)
  return { toLast, toEither: Math.max(toLast, toBefore), toBoth: toSum(toLast, toBefore, within), within }
}

/** The cosine with the sum of two unit vectors, from the cosines with each and between them; opposite vectors sum to zero. */
function toSum(one: number, other: number, between: number): number {
  return between <= -1 ? 0 : (one + other) / Math.sqrt(2 + 2 * between)
}

function asks(text: string): boolean {
  return text.includes('?')
}

function flag(condition: boolean): number {
  return condition ? 1 : 0
}
