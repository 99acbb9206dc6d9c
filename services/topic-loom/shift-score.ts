/**
 * How likely a message opens a new topic, from 0 to 1: a logistic model over a few plain features of the message and the two before
 * it. All of them come from content: neither the place in the conversation nor who speaks counts. Each is about 0 to 1.
 */
import { cosine } from '@loomlog/language/cosine'
import { terms } from '@loomlog/language/terms'
import { shiftWeights } from './shift-weights.ts'
import type { ShiftInput } from './tasks.ts'

/** What the features look at. */
type Seen = {
  readonly last: string
  readonly next: string
  readonly nearness: Nearness
  /** Content words that the message shares with the last one; how many it has that the window lacks. */
  readonly sharedTerms: number
  readonly newTerms: number
}
type Nearness = { readonly toLast: number; readonly toEither: number; readonly toBoth: number; readonly within: number }

/** Every feature, with the reason it is here. */
const features = {
  bias: () => 1,
  /** Going on with a subject means saying similar things. */
  nearnessToLast: ({ nearness }: Seen) => nearness.toLast,
  /** Two threads are often talked of in turn: the message may go on with the older one. */
  nearnessToEither: ({ nearness }: Seen) => nearness.toEither,
  /** What both messages are about together says more than either alone, since one of them is often a short reaction. */
  nearnessToBoth: ({ nearness }: Seen) => nearness.toBoth,
  /** A window that is of one piece makes a distant message stand out. */
  nearnessWithinWindow: ({ nearness }: Seen) => nearness.within,
  /** The same words, where the embedding sees only the gist. */
  sharedTerms: ({ sharedTerms }: Seen) => Math.min(1, sharedTerms / 3),
  /** A new matter brings words of its own; a reaction brings few. */
  newTerms: ({ newTerms }: Seen) => Math.min(1, Math.log1p(newTerms) / 3),
  /** A reaction followed by something new takes several sentences. */
  sentences: ({ next }: Seen) => Math.min(1, next.split(/[.!?]+/).filter((part) => /\p{L}/u.test(part)).length / 5),
  /** After a question people answer. */
  afterQuestion: ({ last }: Seen) => flag(asks(last)),
  /** A question met with a question: often small talk that moves on. */
  questionAfterQuestion: ({ last, next }: Seen) => flag(asks(last) && asks(next)),
  /** Asking the other one something is the commonest way to bring up a subject. */
  asksOther: ({ next }: Seen) => flag(asks(next) && askingOther.test(next)),
  /** Speaking of oneself unasked is the second commonest. */
  ownMatterUnasked: ({ last, next }: Seen) => flag(!asks(last) && openingWithSelf.test(next)),
  /** "It", "they", "too" point back to what was said. */
  pointsBack: ({ next }: Seen) => flag(pointingBack.test(next)),
  /** A greeting starts over. */
  greets: ({ next }: Seen) => flag(greeting.test(next)),
  /** After a goodbye comes something else. */
  afterGoodbye: ({ last }: Seen) => flag(goodbye.test(last)),
} as const satisfies { readonly [name: string]: (seen: Seen) => number }

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

/** @param vectors one for each line of the window, in order, then the new message's; int8, as recorded */
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
  const seen: Seen = {
    last,
    next,
    nearness: nearnessOf(vectors.slice(0, -1), vectors.at(-1) ?? []),
    sharedTerms: inNext.filter((term) => inLast.has(term)).length,
    newTerms: inNext.filter((term) => !inWindow.has(term)).length,
  }
  return featureNames.map((name) => features[name](seen))
}

/** The embedder reads no further than this either; a long paste is known by how it begins. */
const charactersRead = 2_000

/** Where there is one message only, there is nothing to compare it with: as near as two neighbours usually are. */
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

/** The cosine with the sum of two unit vectors, from the cosines with each and between them; opposites sum to nothing. */
function toSum(one: number, other: number, between: number): number {
  return between <= -1 ? 0 : (one + other) / Math.sqrt(2 + 2 * between)
}

function asks(text: string): boolean {
  return text.includes('?')
}

function flag(condition: boolean): number {
  return condition ? 1 : 0
}
