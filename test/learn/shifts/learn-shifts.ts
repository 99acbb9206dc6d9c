/**
 * Learns all data of Topic Loom's shift score: the bias of line vectors, the weights of phrases, and the weights of
 * both regressions. They come from labelled chit-chat, from conversations of the corpus, and from task dialogues and
 * chit-chat joined end to end, where the boundary is known.
 */
import { lexiconOf, phraseScoresOf } from '@loomlog/topic-loom/phrase-scores'
import type { PhraseWeights } from '@loomlog/topic-loom/phrases'
import type { VectorBias } from '@loomlog/topic-loom/subject-vectors'
import type { Dialogue } from '../../eval/dialogues.ts'
import { type Conversation, type Join, joinDialogues, labelledConversation, readingsOf } from './conversations.ts'
import { phraseWeights } from './phrase-weights.ts'
import { learnWeights, type Subject, type Weights } from './regressions.ts'
import { vectorBiasOf } from './vector-bias.ts'

interface ShiftData {
  /** Labelled by people. */
  readonly chitChat: readonly Dialogue[]
  /** Marked by a reader. */
  readonly threads: readonly Dialogue[]
  /** One subject each. */
  readonly tasks: readonly Dialogue[]
  /** The vector of a line. */
  vectorOf(text: string): readonly number[]
  /** 0 to 1; orders and cuts the dialogues that are joined. */
  random(): number
}

export interface LearnedShifts {
  readonly weights: Weights
  readonly phrases: PhraseWeights
  readonly bias: VectorBias
  /** The labelled chit-chat, in the form that the score reads. */
  readonly labelled: readonly Subject[]
  subjectOf(conversation: Conversation): Subject
}

export function learnShifts({ chitChat, threads, tasks, vectorOf, random }: ShiftData): LearnedShifts {
  const bias = vectorBiasOf(chitChat.flatMap(({ texts }) => texts.map(vectorOf)))
  const phrases = phraseWeights(chitChat)
  const lexicon = lexiconOf(phrases)
  const ofOtherHalf = otherHalfLexicons(chitChat)
  const scoresOf = (text: string) => phraseScoresOf(text, ofOtherHalf.get(text) ?? lexicon)
  const subjectOf = ({ texts, truth }: Conversation): Subject => {
    return { readings: readingsOf(texts, { vectorOf, phraseScoresOf: scoresOf, bias }), truth }
  }
  const joined = (dialogues: readonly Dialogue[], join: Join, count: number, rounds: number) =>
    joinDialogues(dialogues, join, { count, rounds, random }).map(subjectOf)
  const labelled = chitChat.map(labelledConversation).map(subjectOf)
  const weights = learnWeights([
    { weight: 1, subjects: labelled },
    { weight: 0.1, subjects: joined(chitChat, 'whole', 5, 1) },
    { weight: 0.1, subjects: joined(chitChat, 'stretches', 5, 1) },
    { weight: 0.2, subjects: joined(tasks, 'whole', 7, 6) },
    { weight: 0.3, subjects: joined(tasks, 'stretches', 7, 6) },
    { weight: 0.2, subjects: threads.map(labelledConversation).map(subjectOf) },
  ])
  return { weights, phrases, bias, labelled, subjectOf }
}

/**
 * By line of a labelled dialogue: phrases weighed by the other half of the dialogues, since its own labels would bias
 * them.
 */
function otherHalfLexicons(dialogues: readonly Dialogue[]): ReadonlyMap<string, ReturnType<typeof lexiconOf>> {
  const [even, odd] = [dialogues.filter((_, i) => i % 2 === 0), dialogues.filter((_, i) => i % 2 === 1)]
  const lexiconByLine = (half: readonly Dialogue[], other: readonly Dialogue[]) => {
    const lexicon = lexiconOf(phraseWeights(other))
    return half.flatMap(({ texts }) => texts.map((text) => [text, lexicon] as const))
  }
  return new Map([...lexiconByLine(even, odd), ...lexiconByLine(odd, even)])
}
