/**
 * Finds the statements that a later message corrects by naming the old value and the new one: `from 80k to 65k`, `on the 16th, not the 14th`,
 * `SQS instead of RabbitMQ`. The same person must have said both, the earlier sentence must have the old value and not the new one, and both
 * must share a further word. Nothing else is sure enough to mark a statement as outdated: a false mark would hide the truth. The forms are
 * English.
 */
import { isDoubtfulClause, isDoubtfulSentence } from './restate/certainty.ts'
import { proseOf } from './restate/prose.ts'
import { terms } from './terms.ts'

/** The speaker and the time of a message, in ms since the epoch. */
interface MessageOrigin {
  readonly speaker: string
  readonly at: number
}

interface Sentence {
  /** In its original words. */
  readonly written: string
}

interface NamedChange extends Sentence {
  readonly old: string
  readonly current: string
  /** Words of the sentence beside the two values, as stems. */
  readonly about: readonly string[]
}

/** The sentences of a message, ready to be compared. */
export interface ParsedMessage {
  readonly changes: readonly NamedChange[]
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

const value = String.raw`(?:[\p{L}\p{N}£$€][\p{L}\p{N}£$€%.:/-]*(?: (?:\p{Lu}[\p{L}\p{N}-]*|\p{N}+|%|percent|euros?|pounds?|dollars?|minutes?|hours?|days?|weeks?|months?|am|pm)(?![\p{L}\p{N}]))*)`
const skipped = String.raw`(?:(?:the|a|an|our|my|on|at|in|by|with|to) )*`
const forms = [
  String.raw`\b(?:switch|chang|mov|went|go|goes|gone|migrat|rais|lower|reduc|cut|increas|decreas|drop|rose|upgrad|downgrad|bump|shift|swap|postpon|reschedul|extend|came|fell|renam)\w*\b[^.;,]{0,60}?\bfrom ${skipped}(?<old>${value}) to ${skipped}(?<current>${value})`,
  String.raw`(?:is|are|on|at|in|to|costs?) ${skipped}(?<current>${value})(?: now)?, not ${skipped}(?<old>${value})`,
  String.raw`(?<current>${value})(?: now)?,? (?:instead of|rather than) ${skipped}(?<old>${value})`,
  String.raw`\b(?:replaced|swapped|exchanged) ${skipped}(?<old>${value}) (?:with|by|for) ${skipped}(?<current>${value})`,
].map((form) => new RegExp(form, 'u'))

/** Words of an intention: nothing has changed yet. */
const intended =
  /\bcan\b|\b(?:try|trying|plan|planning|want|wants|looking|aim|aiming|hope|hoping|like|used) to\b|\b(?:consider|considering|thinking (?:about|of))\b|\b(?:if|may|might|could|would|should|says?|said|told|heard|apparently)\b/i

/** Longer sentences state no change that the forms can separate from the rest. */
const maxSentenceCharacters = 400

export function parseMessage(text: string): ParsedMessage {
  const stated = proseOf(text)
    .split(/(?<=[.!?])(?<!\b(?:Dr|Mr|Mrs|Ms|St|No|Prof|approx|ca)\.)\s+|\n+|;\s/)
    .filter((written) => written.trim() !== '' && written.length <= maxSentenceCharacters)
    .filter((written) => !/[?？]\s*$/.test(written) && !isDoubtfulSentence(written))
    .map((written) => ({ written }))
  return { changes: stated.flatMap(({ written }) => changeIn(written) ?? []), stated }
}

function changeIn(written: string): NamedChange | null {
  if (intended.test(written) || isDoubtfulClause(written)) return null
  for (const form of forms) {
    const groups = form.exec(written)?.groups
    const [old, current] = [withoutEnd(groups?.['old']), withoutEnd(groups?.['current'])]
    if (old === '' || !isValue(old) || !isValue(current)) continue
    const named = new Set([...terms(old), ...terms(current)])
    return {
      written,
      old,
      current,
      about: terms(written).filter((term) => !named.has(term) && /^\p{L}{2,}$/u.test(term)),
    }
  }
  return null
}

function withoutEnd(value = ''): string {
  return value.replace(/[.:/-]+$/, '')
}

/** A word that means something, or a number; one of two digits without a unit may count anything. */
function isValue(text: string): boolean {
  return !/^\d{1,2}$/.test(text) && (/\p{N}/u.test(text) || terms(text).length > 0)
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
        .filter(({ written }) => isOutdated(written, change))
        .map(({ written }) => ({ message, sentence: written, by: change.written })),
    ),
  )
}

function isOutdated(written: string, { old, current, about, written: by }: NamedChange): boolean {
  if (!containsPhrase(written, old) || containsPhrase(written, current)) return false
  const words = new Set(terms(written))
  if (!about.some((term) => words.has(term))) return false
  const [before, after] = [namesIn(written, old), namesIn(by, current)]
  return before.length === 0 || after.length === 0 || before.some((each) => after.includes(each))
}

/** Names beside the value. Sentences with other names speak of others: another customer, another room. */
function namesIn(sentence: string, value: string): readonly string[] {
  const names = sentence.match(/(?<=\S )\p{Lu}[\p{L}\p{N}-]+/gu) ?? []
  return names.filter((each) => !value.includes(each) && each !== 'I')
}

function containsPhrase(text: string, phrase: string): boolean {
  const at = text.toLowerCase().indexOf(phrase.toLowerCase())
  return (
    at >= 0 && !/[\p{L}\p{N}.]/u.test(text.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(at + phrase.length))
  )
}
