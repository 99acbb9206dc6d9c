/**
 * Finds the sentences that a later message of the same person outdates. Three forms are sure enough to mark a
 * statement: the old value and the new one are named (`from 80k to 65k`), the sentence says a new value with `now`, or
 * it says that a state has ended (`no longer`). Everything else may be about another matter, and a false mark would
 * hide the truth. The forms are English.
 */
import { endOfState } from './change/end-of-state.ts'
import { type Ends, Sentence } from './change/ends.ts'
import { namedValues } from './change/named-values.ts'
import { newValue } from './change/new-value.ts'
import { isDoubtfulClause, isDoubtfulSentence } from './restate/certainty.ts'
import { proseOf } from './restate/prose.ts'

/** The speaker and the time of a message, in ms since the epoch. */
interface MessageOrigin {
  readonly speaker: string
  readonly at: number
}

interface StatedChange {
  /** In its original words. */
  readonly written: string
  readonly ends: Ends
}

/** The sentences of a message, ready to be compared. */
export interface ParsedMessage {
  readonly changes: readonly StatedChange[]
  /** Sentences that a later message may change. */
  readonly stated: readonly Sentence[]
}

export interface Message extends MessageOrigin {
  readonly read: ParsedMessage
}

/** A message of which one sentence no longer holds. */
interface OutdatedSentence<M> {
  readonly message: M
  readonly sentence: string
  /** The sentence of the later message that changes it. */
  readonly by: string
}

/** Words of an intention: nothing has changed yet. */
const intended =
  /\bcan\b|\b(?:try|trying|plan|planning|want|wants|looking|aim|aiming|hope|hoping|like|used) to\b|\b(?:consider|considering|thinking (?:about|of))\b|\b(?:if|might|could|would|should|says?|said|told|heard|apparently)\b/i

/** Longer sentences state no change that the forms can separate from the rest. */
const maxSentenceCharacters = 400
/** Sentences of a message that are read, and changes among them: both are compared with those of other messages. */
const maxSentences = 100
const maxChanges = 4

export function parseMessage(text: string): ParsedMessage {
  const stated = proseOf(text)
    .split(/(?<=[.!?])(?<!\b(?:Dr|Mr|Mrs|Ms|St|No|Prof|approx|ca)\.)\s+|\n+|;\s/)
    .filter((written) => written.trim() !== '' && written.length <= maxSentenceCharacters)
    .filter((written) => !/[?？]\s*$/.test(written) && !isDoubtfulSentence(written))
    .slice(0, maxSentences)
    .map((written) => new Sentence(written))
  return { changes: stated.flatMap((sentence) => changeIn(sentence) ?? []).slice(0, maxChanges), stated }
}

function changeIn(sentence: Sentence): StatedChange | null {
  const { written } = sentence
  if (intended.test(written) || /\bmay\b/.test(written) || isDoubtfulClause(written)) return null
  const ends = namedValues(sentence) ?? endOfState(sentence) ?? newValue(sentence)
  return ends === null ? null : { written, ends }
}

/** The messages that `later` changes. @param earlier in the order of time */
export function messagesChangedBy<M extends Message>(later: Message, earlier: readonly M[]): readonly M[] {
  const found = new Set(sentencesOutdatedBy(later, earlier).map(({ message }) => message))
  return earlier.filter((message) => found.has(message))
}

/** The sentences that `later` changes. @param earlier in the order of time */
export function sentencesOutdatedBy<M extends Message>(
  later: Message,
  earlier: readonly M[],
): readonly OutdatedSentence<M>[] {
  const { changes } = later.read
  if (changes.length === 0) return []
  const ofOne = earlier.filter(({ at, speaker }) => at <= later.at && speaker === later.speaker)
  return changes.flatMap((change) =>
    ofOne.flatMap((message) =>
      message.read.stated
        .filter((earlier) => change.ends(earlier))
        .map(({ written }) => ({ message, sentence: written, by: change.written })),
    ),
  )
}
