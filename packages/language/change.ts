/**
 * Finds the statements that a later message changes: another value of the same thing, a switch from one thing to
 * another, a new date, an end, a correction. The rules read English and are cautious: both messages must be about the
 * same thing, and the later one must announce a change or repeat the statement with another value. The later utterance
 * wins, regardless of the dates in both. A missed change leaves both as they are; a false one would hide the truth.
 */

import { type Clause, readClauses } from './change/clause.ts'
import { stillHoldsPattern } from './change/cues.ts'
import { endOfThing, oppositeState, polarity } from './change/endings.ts'
import { fromTo, insteadOf, replacementOrRename, sameActivity } from './change/explicit-replacement.ts'
import { type LikelyUpdate, likelyUpdate } from './change/likely-update.ts'
import { otherValue, sameStatement, withoutThing } from './change/other-value.ts'
import { departure, lifeChange, planFailure, reassignment } from './change/person.ts'
import { withPersonForPronoun } from './change/pronoun-person.ts'
import { areTwoOfOneKind, type Change, type EarlierClause, type MessageOrigin } from './change/rule.ts'
import { movedThing, otherComplement, statedChange } from './change/stated-change.ts'
import { isDoubtfulClause, isDoubtfulSentence } from './restate/certainty.ts'
import { proseOf } from './restate/prose.ts'

/** The clauses of a message, ready to be compared. Reading costs more than comparing, so a message is read once. */
export interface ParsedMessage {
  readonly changes: readonly (Change & WithSentence)[]
  /** Clauses that a later message may change. */
  readonly stated: readonly (Clause & WithSentence)[]
}

interface WithSentence {
  /** The sentence of the clause, in its original words. */
  readonly written: string
}

export interface Message extends MessageOrigin {
  readonly read: ParsedMessage
}

/** A message of which one sentence no longer holds. */
export interface OutdatedSentence<M> {
  readonly message: M
  readonly sentence: string
  /** The sentence of the later message that changes it. */
  readonly by: string
}

const rules = [
  ...[otherValue, withoutThing, sameStatement],
  ...[fromTo, insteadOf, replacementOrRename, sameActivity, statedChange, movedThing, otherComplement],
  ...[endOfThing, oppositeState, polarity],
  ...[lifeChange, departure, reassignment, planFailure],
]

/** A change concerns the best match, and the matches with at least this share of its score. */
const nearBest = 0.6

export function parseMessage(text: string): ParsedMessage {
  const plain = proseOf(text)
  const certain = sentencesOf(plain).filter((sentence) => !/\?\s*$/.test(sentence) && !isDoubtfulSentence(sentence))
  const read = certain.map((written) => ({
    clauses: readClauses(withPersonForPronoun(written, plain.slice(0, plain.indexOf(written)))).map((clause) => ({
      ...clause,
      written,
    })),
    isSure: isSure(written),
  }))
  const changing = read.flatMap(({ clauses, isSure }) => (isSure ? clauses : []))
  const changes = changing
    .filter(({ text }) => !stillHoldsPattern.test(text))
    .flatMap((clause) =>
      rules
        .flatMap((rule) => rule(clause) ?? [])
        .map((change) => ({ ...ofOneThing(clause, change), written: clause.written })),
    )
  return { changes, stated: read.flatMap(({ clauses }) => clauses) }
}

/** The change without matches of another thing of its kind. Few statements match, so labels and owners come last. */
function ofOneThing(later: Clause, change: Change): Change {
  return {
    ...change,
    match(earlier, by) {
      const score = change.match(earlier, by)
      return score > 0 && areTwoOfOneKind(later, by, earlier) ? 0 : score
    },
  }
}

/** Words of an intention: nothing has changed yet. */
const intended =
  /\bcan\b|\b(?:try|trying|plan|planning|want|wants|looking|aim|aiming|hope|hoping|like|used) to\b|\b(?:consider|considering|thinking (?:about|of))\b/

function isSure(sentence: string): boolean {
  return !isDoubtfulClause(sentence.replace(/\bplease\b/gi, '')) && !intended.test(sentence)
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
  const before = earlier.filter(({ at }) => at <= later.at)
  return changes.flatMap((change) => outdatedByOne(change, later, before))
}

/** Comparisons of a change with a statement that `sentencesOutdatedBy` makes, a microsecond each. */
export function comparisonsOf(later: Message, earlier: readonly Message[]): number {
  return later.read.changes.length * earlier.reduce((sum, { read }) => sum + read.stated.length, 0)
}

/** Statements of a message that are compared with those of another one for their order. */
const maxStatements = 50

/**
 * How `later` may update `earlier`; null: no sign of an update. Too unsure to mark `earlier` as outdated; sure enough
 * to order two results.
 */
export function mayUpdate(later: Message, earlier: Message): LikelyUpdate | null {
  const before = statementsOf(earlier).slice(0, maxStatements)
  const found = later.read.stated
    .slice(0, maxStatements)
    .flatMap((clause) => before.map((stated) => likelyUpdate(clause, stated, later)))
  return found.find((each) => each === 'value') ?? found.find((each) => each !== null) ?? null
}

function outdatedByOne<M extends Message>(
  change: Change & WithSentence,
  later: Message,
  before: readonly M[],
): readonly OutdatedSentence<M>[] {
  const matches = matchesAmong(before, change, later)
  if (matches.length === 0) return []
  const best = Math.max(...matches.map(({ score }) => score))
  const near = matches.filter(({ score }) => score >= nearBest * best)
  const newest = near.filter(({ message }) => message === near.at(-1)?.message)
  const current = newest.toSorted((a, b) => a.score - b.score).at(-1)?.outdated
  return near
    .filter(({ outdated }) => outdated === current)
    .map(({ message, sentence }) => ({ message, sentence, by: change.written }))
}

interface Match<M> {
  readonly message: M
  readonly score: number
  readonly sentence: string
  readonly outdated: string | undefined
}

/** The statements that the change may concern. Few match, so no list of all is made. */
function matchesAmong<M extends Message>(
  before: readonly M[],
  change: Change & WithSentence,
  later: Message,
): readonly Match<M>[] {
  const found: Match<M>[] = []
  for (const message of before) {
    for (const stated of statementsOf(message)) {
      const score = change.match(stated, later)
      if (score > 0) found.push({ message, score, sentence: stated.written, outdated: change.outdated?.(stated) })
    }
  }
  return found
}

/** A cache by message: every recall compares a message with all changes after it. */
const statements = new WeakMap<
  ParsedMessage,
  MessageOrigin & { readonly stated: readonly (EarlierClause & WithSentence)[] }
>()

function statementsOf({ speaker, at, read }: Message): readonly (EarlierClause & WithSentence)[] {
  const known = statements.get(read)
  if (known?.speaker === speaker && known.at === at) return known.stated
  const stated = read.stated.map((clause) => ({ ...clause, speaker, at }))
  statements.set(read, { speaker, at, stated })
  return stated
}

/** Longer messages are answers and texts: lists, advice, drafts. Only their sentences about the speaker count. */
const maxPlainWords = 60
const ofOneself = /\b(?:I|I'm|I've|we|we've|my|our|We|My|Our)\b/

function sentencesOf(text: string): readonly string[] {
  const isLong = text.split(/\s+/, maxPlainWords + 1).length > maxPlainWords
  return text
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

/** A condition follows at least two words. A look-behind for them would read the sentence again at every comma. */
function withoutCondition(sentence: string): string {
  const words = sentence.search(/\w \w/)
  if (words < 0) return sentence
  for (const { index } of sentence.matchAll(condition)) if (index >= words + 3) return sentence.slice(0, index)
  return sentence
}
