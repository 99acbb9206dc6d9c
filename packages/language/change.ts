/**
 * Whether a later message changes an earlier one: another value of the same thing, a switch from one thing to another, a new date, an end, a
 * correction. By rules, in English, and cautious: the two must share the thing, and the later one must say that it changes. The later
 * utterance wins, regardless of the dates in both. A missed change leaves both as they are; a false one would hide the truth.
 */
import { type Change, type Origin, rules, type Sentence, stemsOf } from './change/rules.ts'
import { normalized } from './change/values.ts'
import { isDoubtfulClause, isDoubtfulSentence } from './restate/certainty.ts'
import { prose } from './restate/prose.ts'

/** A message as it is compared. Reading costs more than comparing, so a message is read once. */
export interface ReadMessage {
  readonly changes: readonly Change[]
  /** Sentences that may be changed. */
  readonly stated: readonly Sentence[]
}

export interface Message extends Origin {
  readonly read: ReadMessage
}

export function readMessage(text: string): ReadMessage {
  const certain = sentencesOf(text).filter((sentence) => !/\?\s*$/.test(sentence) && !isDoubtfulSentence(sentence))
  const changing = certain.filter((sentence) => !isDoubtfulClause(sentence) && !/\bcan\b/.test(sentence))
  const changes = changing.map(readSentence).flatMap((sentence) => rules.map((rule) => rule(sentence)))
  return { changes: changes.filter((each) => each !== null), stated: certain.map(readSentence) }
}

/** Whether `later` changes a statement of `earlier`. */
export function changes(later: Message, earlier: Message): boolean {
  if (earlier.at > later.at || later.read.changes.length === 0) return false
  return earlier.read.stated.some((stated) => {
    const before = { ...stated, speaker: earlier.speaker, at: earlier.at }
    return later.read.changes.some((change) => change(before, later))
  })
}

function sentencesOf(text: string): readonly string[] {
  return prose(text)
    .split(/(?<=[.!?])\s+|\n+|;\s/)
    .map(withoutCondition)
    .filter((sentence) => sentence.trim() !== '')
}

/** `…, dark only if you ask`: a condition after the statement. */
const condition = /, (?:\w+ )?(?:only )?(?:if|unless)\b/gi

/** A statement has two words. Both are looked for from the start, since a look-behind reads the sentence again at every comma. */
function withoutCondition(sentence: string): string {
  const words = sentence.search(/\w \w/)
  if (words < 0) return sentence
  for (const { index } of sentence.matchAll(condition)) if (index >= words + 3) return sentence.slice(0, index)
  return sentence
}

function readSentence(sentence: string): Sentence {
  const text = normalized(sentence)
  return { text, stems: new Set(stemsOf(text)) }
}
