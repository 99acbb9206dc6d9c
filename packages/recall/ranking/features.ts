/**
 * The features that rank candidates. Each is declared once: its name, which is the key of its weight in `weights.json`;
 * the part of recall it belongs to; the source it is computed from; and its value for every candidate. Values are
 * shares and ranks, which mean the same in every memory, not raw scores.
 */
import type { FeaturePart } from '../contribution.ts'
import type { Question } from '../request/question.ts'
import type { Candidate } from '../search/candidates.ts'
import { type CandidateValues, products, sharesOfHighest, valuesOf } from './candidate-values.ts'
import { hasAnswer } from './cues.ts'
import { rankScores } from './ranks.ts'
import { neighbourWeights, type Signals, signalsOf } from './signals.ts'

/** By the feature's name, in the order of their declaration. */
export type Features = ReadonlyMap<string, CandidateValues>

/** The vectors are those of the question, and of the question as a statement. */
export type Source = 'words' | 'question vector' | 'statement vector' | 'facts' | 'events' | 'speaker' | 'text'

export interface FeatureDeclaration {
  readonly name: string
  readonly part: FeaturePart
  readonly from: Source
  readonly value: (signals: Signals) => CandidateValues
  /** A property of the candidate, which may also count against it. The weights of all other features are at least 0. */
  readonly canCountAgainst?: true
}

const words: readonly FeatureDeclaration[] = [
  { name: 'words', part: 'words', from: 'words', value: ({ bm25 }) => sharesOfHighest(bm25) },
  { name: 'words rank', part: 'words', from: 'words', value: ({ bm25 }) => rankScores(bm25) },
  {
    name: 'words ±1 rank',
    part: 'neighbours',
    from: 'words',
    value: ({ words, subject }) => rankScores(words.bm25(subject, neighbourWeights.beside)),
  },
  {
    name: 'words ±3',
    part: 'neighbours',
    from: 'words',
    value: ({ words, subject }) => sharesOfHighest(words.bm25(subject, neighbourWeights.wide)),
  },
  {
    name: 'words around',
    part: 'neighbours',
    from: 'words',
    value: ({ words, subject }) => sharesOfHighest(words.bm25(subject, neighbourWeights.fading)),
  },
  { name: 'question words around', part: 'neighbours', from: 'words', value: ({ coverage }) => coverage },
  {
    name: 'question words around, squared',
    part: 'neighbours',
    from: 'words',
    value: ({ coverage }) => coverage.map((share) => share ** 2),
  },
  {
    name: 'words of the question before',
    part: 'neighbours',
    from: 'words',
    value: ({ bm25, ofQuestionBefore }) => sharesOfHighest(ofQuestionBefore(bm25)),
  },
  {
    name: 'words of the best candidates',
    part: 'words',
    from: 'words',
    value: (signals) => sharesOfHighest(signals.expandedBm25),
  },
  {
    name: 'conversation words',
    part: 'conversation',
    from: 'words',
    value: ({ words, subject }) => sharesOfHighest(words.bm25OfConversation(subject)),
  },
  {
    name: 'conversation best words',
    part: 'conversation',
    from: 'words',
    value: ({ near, bm25 }) => sharesOfHighest(near.best(bm25)),
  },
]

const meaning: readonly FeatureDeclaration[] = [
  {
    name: 'conversation meaning',
    part: 'conversation',
    from: 'statement vector',
    value: ({ near, statementCosine }) => sharesOfHighest(near.best(statementCosine)),
  },
  { name: 'meaning', part: 'meaning', from: 'question vector', value: ({ cosine }) => cosine },
  { name: 'meaning share', part: 'meaning', from: 'question vector', value: ({ cosine }) => sharesOfHighest(cosine) },
  {
    name: 'meaning ±1',
    part: 'neighbours',
    from: 'question vector',
    value: ({ near, cosine }) => sharesOfHighest(near.mean(cosine, 1)),
  },
  {
    name: 'meaning ±3',
    part: 'neighbours',
    from: 'question vector',
    value: ({ near, cosine }) => sharesOfHighest(near.mean(cosine, 3)),
  },
  {
    name: 'meaning before',
    part: 'neighbours',
    from: 'question vector',
    value: ({ near, cosine }) => sharesOfHighest(near.beside(cosine, -1)),
  },
  {
    name: 'meaning after',
    part: 'neighbours',
    from: 'question vector',
    value: ({ near, cosine }) => sharesOfHighest(near.beside(cosine, 1)),
  },
  {
    name: 'meaning of the question before',
    part: 'neighbours',
    from: 'question vector',
    value: ({ cosine, ofQuestionBefore }) => sharesOfHighest(ofQuestionBefore(cosine)),
  },
  { name: 'statement meaning', part: 'meaning', from: 'statement vector', value: (signals) => signals.statementCosine },
  {
    name: 'statement meaning share',
    part: 'meaning',
    from: 'statement vector',
    value: ({ statementCosine }) => sharesOfHighest(statementCosine),
  },
  {
    name: 'statement meaning ±1',
    part: 'neighbours',
    from: 'statement vector',
    value: ({ near, statementCosine }) => sharesOfHighest(near.mean(statementCosine, 1)),
  },
  {
    name: 'fact meaning',
    part: 'facts',
    from: 'facts',
    value: ({ pool }) => sharesOfHighest(valuesOf(pool, factOf)),
  },
  {
    name: 'fact meaning rank',
    part: 'facts',
    from: 'facts',
    value: ({ pool }) => rankScores(valuesOf(pool, factOf)),
  },
  {
    name: 'event meaning',
    part: 'events',
    from: 'events',
    value: ({ pool }) => sharesOfHighest(valuesOf(pool, eventOf)),
  },
]

/**
 * Facts and events count for people's utterances only: what an agent drafts, quotes or codes is no statement of its
 * own.
 */
function factOf({ role, factCosine }: Candidate): number {
  return role === null || role === 'human' ? factCosine : 0
}

function eventOf({ role, eventCosine }: Candidate): number {
  return role === null || role === 'human' ? eventCosine : 0
}

const speaker: readonly FeatureDeclaration[] = [
  { name: 'speaker named', part: 'speaker', from: 'speaker', value: ({ ofNamedSpeaker }) => ofNamedSpeaker },
  {
    name: 'other speaker named',
    part: 'speaker',
    from: 'speaker',
    canCountAgainst: true,
    value: ({ namesSpeaker, ofNamedSpeaker }) => ofNamedSpeaker.map((is) => Number(namesSpeaker && is === 0)),
  },
]

const roles: readonly FeatureDeclaration[] = [
  { name: 'said by an agent', value: ({ ofAgent }: Signals) => ofAgent },
  {
    name: 'instruction to an agent',
    value: ({ pool, ofPersonWithAgent }: Signals) =>
      among(ofPersonWithAgent, () => valuesOf(pool, ({ cues }) => cues.isInstruction)),
  },
  {
    name: 'preference of a person with an agent',
    value: ({ pool, ofPersonWithAgent }: Signals) =>
      among(ofPersonWithAgent, () => valuesOf(pool, ({ cues }) => cues.isPreference)),
  },
].map((feature) => ({ ...feature, part: 'form', from: 'text', canCountAgainst: true }))

/** The values, with 0 for the candidates outside of a group. @param isOf 1 for a candidate of the group */
function among(isOf: CandidateValues, values: () => CandidateValues): CandidateValues {
  if (!isOf.includes(1)) return isOf
  return products(values(), isOf)
}

/** Cues for the kind of answer that the question wants. */
const wants: readonly FeatureDeclaration[] = [
  { name: 'mentions the time asked for', value: ({ time }: Signals) => time.mentions },
  { name: 'uttered at the time asked for', value: ({ time }: Signals) => time.uttered },
  { name: 'holds a time', value: ({ pool }: Signals) => valuesOf(pool, ({ cues }) => cues.holds('time')) },
  ...(['time', 'number', 'place', 'person', 'reason'] as const).map((kind) => ({
    name: `holds the ${kind} asked for`,
    value: ({ question, pool }: Signals) => hasAnswer(kind, question, pool),
  })),
].map((feature) => ({ ...feature, part: 'wants', from: 'text' }))

export const features: readonly FeatureDeclaration[] = [...words, ...meaning, ...speaker, ...roles, ...wants]

/** @param isUsed chooses features; without it, all are computed */
export function featuresOf(
  question: Question,
  pool: readonly Candidate[],
  isUsed: (feature: FeatureDeclaration) => boolean = () => true,
): Features {
  const signals = signalsOf(question, pool)
  return new Map(features.filter(isUsed).map(({ name, value }) => [name, value(signals)]))
}
