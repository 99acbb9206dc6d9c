/**
 * The statements that a later message changes: another value of the same thing, a switch from one thing to another, a new date, an end, a
 * correction. By rules, in English, and cautious: both must be about the same thing, and the later one must say that it changes or say the same of it
 * with another value. The later utterance wins, regardless of the dates in both. A missed change leaves both as they are; a false one would hide
 * the truth.
 */

import { type Clause, readClauses } from './change/clause.ts'
import { stillHolds } from './change/cues.ts'
import { ended, opposite, polarity } from './change/endings.ts'
import { fromTo, insteadOf, replaced, sameActivity } from './change/named-old.ts'
import { isNewerValue, otherValue, sameStatement, withoutThing } from './change/other-value.ts'
import { fellAway, leaves, life, reassigned } from './change/person.ts'
import type { Change, Earlier, Origin } from './change/rule.ts'
import { movedThing, otherComplement, statedChange } from './change/stated-change.ts'
import { isDoubtfulClause, isDoubtfulSentence } from './restate/certainty.ts'
import { prose } from './restate/prose.ts'

/** A message as it is compared. Reading costs more than comparing, so a message is read once. */
export interface ReadMessage {
  readonly changes: readonly Change[]
  /** Sentences that may be changed. */
  readonly stated: readonly Clause[]
}

export interface Message extends Origin {
  readonly read: ReadMessage
}

const rules = [
  ...[otherValue, withoutThing, sameStatement],
  ...[fromTo, insteadOf, replaced, sameActivity, statedChange, movedThing, otherComplement],
  ...[ended, opposite, polarity],
  ...[life, leaves, reassigned, fellAway],
]

/** Of the statements that one change may concern, those that share at least this part of the best one's things. */
const nearBest = 0.6

export function readMessage(text: string): ReadMessage {
  const certain = sentencesOf(text).filter((sentence) => !/\?\s*$/.test(sentence) && !isDoubtfulSentence(sentence))
  const read = certain.map((sentence) => ({ clauses: readClauses(sentence), isSure: isSure(sentence) }))
  const changing = read.flatMap(({ clauses, isSure }) => (isSure ? clauses : []))
  const changes = changing
    .filter(({ text }) => !stillHolds.test(text))
    .flatMap((clause) => rules.map((rule) => rule(clause)))
  return { changes: changes.filter((each) => each !== null), stated: read.flatMap(({ clauses }) => clauses) }
}

/** Nothing has changed yet. */
const intended =
  /\bcan\b|\b(?:try|trying|plan|planning|want|wants|looking|aim|aiming|hope|hoping|like|used) to\b|\b(?:consider|considering|thinking (?:about|of))\b/

function isSure(sentence: string): boolean {
  return !isDoubtfulClause(sentence.replace(/\bplease\b/gi, '')) && !intended.test(sentence)
}

/** The messages that `later` changes. @param earlier in the order of time */
export function changedBy<M extends Message>(later: Message, earlier: readonly M[]): readonly M[] {
  const { changes } = later.read
  if (changes.length === 0) return []
  const before = earlier.filter(({ at }) => at <= later.at)
  const found = new Set(changes.flatMap((change) => changedByOne(change, later, before)))
  return before.filter((message) => found.has(message))
}

/** Whether `later` may say the same of the same thing with a newer value. Too unsure for a mark; enough for the order of two results. */
export function mayUpdate(later: Message, earlier: Message): boolean {
  return later.read.stated.some((clause) => statementsOf(earlier).some((stated) => isNewerValue(clause, stated, later)))
}

function changedByOne<M extends Message>(change: Change, later: Message, before: readonly M[]): readonly M[] {
  const matches = before.flatMap((message) => matchOf(change, later, message) ?? [])
  const best = Math.max(0, ...matches.map(({ score }) => score))
  const near = matches.filter(({ score }) => score >= nearBest * best)
  const current = near.at(-1)?.outdated
  return near.filter(({ outdated }) => outdated === current).map(({ message }) => message)
}

/** The best statement of a message; null: the change concerns none. */
function matchOf<M extends Message>(change: Change, later: Message, message: M) {
  let best: { readonly score: number; readonly stated: Earlier } | null = null
  for (const stated of statementsOf(message)) {
    const score = change.match(stated, later)
    if (score > (best?.score ?? 0)) best = { score, stated }
  }
  return best && { message, score: best.score, outdated: change.outdated?.(best.stated) }
}

/** By reading: a message is compared with every change that comes after it, in one recall after another. */
const statements = new WeakMap<ReadMessage, Origin & { readonly stated: readonly Earlier[] }>()

function statementsOf({ speaker, at, read }: Message): readonly Earlier[] {
  const known = statements.get(read)
  if (known?.speaker === speaker && known.at === at) return known.stated
  const stated = read.stated.map((clause) => ({ ...clause, speaker, at }))
  statements.set(read, { speaker, at, stated })
  return stated
}

/** Longer messages are answers and texts: lists, advice, drafts. Of them only what the speaker says of himself counts. */
const maxPlainWords = 60
const ofOneself = /\b(?:I|I'm|I've|we|we've|my|our|We|My|Our)\b/

function sentencesOf(text: string): readonly string[] {
  const isLong = text.split(/\s+/, maxPlainWords + 1).length > maxPlainWords
  return prose(text)
    .split(/(?<=[.!?])(?<!\b(?:Dr|Mr|Mrs|Ms|St|No|Prof|approx|ca)\.)\s+|\n+|;\s/)
    .map(withoutCondition)
    .filter((sentence) => sentence.trim() !== '' && sentence.length <= maxSentenceChars)
    .filter((sentence) => !isLong || (ofOneself.test(sentence) && !listed.test(sentence)))
}

/** Longer sentences state no change that the rules can separate from the rest. */
const maxSentenceChars = 400
const listed = /^\s*(?:[-*•]|\d+[.)])\s/

/** `…, dark only if you ask`: a condition after the statement. */
const condition = /, (?:\w+ )?(?:only )?(?:if|unless)\b/gi

/** A statement has two words. Both are looked for from the start, since a look-behind reads the sentence again at every comma. */
function withoutCondition(sentence: string): string {
  const words = sentence.search(/\w \w/)
  if (words < 0) return sentence
  for (const { index } of sentence.matchAll(condition)) if (index >= words + 3) return sentence.slice(0, index)
  return sentence
}
