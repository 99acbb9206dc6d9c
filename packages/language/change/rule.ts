/** The form of a rule for changes, and the comparisons of two sentences that several rules use. */
import { isStopWord } from '../stop-words.ts'
import { stemOf } from '../words.ts'
import type { Clause } from './clause.ts'

/** The speaker and the time of a message, in ms since the epoch. */
export interface MessageOrigin {
  readonly speaker: string
  readonly at: number
}

export type EarlierClause = Clause & MessageOrigin

/** A change that a sentence states. */
export interface Change {
  /** How much the earlier sentence has in common with the change; 0: no match. Only the best matches are changed. */
  readonly match: (earlier: EarlierClause, by: MessageOrigin) => number
  /**
   * The value of the earlier sentence that no longer holds. If several statements match, the newest has the current
   * value, and only statements with that value are changed: `make it 10:00` names no thing, and one thing may have
   * several values. Absent: all matches are changed.
   */
  readonly outdated?: (earlier: Clause) => string
}

/** Reads the later sentence once; null: it states no change of this kind, and costs nothing to compare. */
export type ChangeRule = (later: Clause) => Change | null

/** The things that both sentences are about. Things with modifiers that differ are two things: the grant's deadline, the report's deadline. */
export function sharedThings(later: Clause, earlier: Clause): readonly string[] {
  if (later.isOfAnother) return []
  const shared: string[] = []
  for (const stem of later.stems) {
    if (earlier.stems.has(stem) && isThing(stem, later, earlier) && !differs(stem, later, earlier)) shared.push(stem)
  }
  return shared
}

/** The tagger takes some nouns for verbs, so a thing of one sentence may be a verb in the other. */
function isThing(stem: string, later: Clause, earlier: Clause): boolean {
  return later.things.has(stem) || earlier.things.has(stem)
}

function differs(thing: string, later: Clause, earlier: Clause): boolean {
  const [ofLater, ofEarlier] = [later.modifiers.get(thing), earlier.modifiers.get(thing)]
  if (!ofLater || !ofEarlier) return false
  if ([...ofLater].some((each) => ofEarlier.has(each))) return false
  return [...ofLater].some((each) => !earlier.stems.has(each)) && [...ofEarlier].some((each) => !later.stems.has(each))
}

/** Whether both name one kind of thing and mean two: `bed 4` and `bed 6`, `my exam` and `my brother's exam`. */
export function areTwoOfOneKind(later: Clause, by: MessageOrigin, earlier: EarlierClause): boolean {
  const hasOtherLabel = [...later.labels].some(([thing, label]) => (earlier.labels.get(thing) ?? label) !== label)
  if (hasOtherLabel && !takesRole(later, earlier)) return true
  return [...later.owners].some(([thing, owner]) => {
    const other = earlier.owners.get(thing)
    return other !== undefined && !isOneOwner([owner, by], [other, earlier])
  })
}

const roleForm = /\b(?:is|are) (?:now )?(?<role>(?:the|our|my|his|her|their) [^,.;!]+?)(?: now)?[.!]*$/

/** `Postgres 14 is our database`, `Postgres 16 is our database now`: only one of them can be. */
function takesRole(later: Clause, earlier: Clause): boolean {
  const [role, before] = [later, earlier].map(({ text }) => roleForm.exec(text)?.groups?.['role'])
  return later.cues.isFromNow && role !== undefined && role === before
}

type Owner = readonly [owner: string, origin: MessageOrigin]

/** Whether two owners are one person: the speaker is `i`, or one of the speaker's names. */
function isOneOwner([owner, { speaker }]: Owner, [other, before]: Owner): boolean {
  if (owner === other) return owner !== 'i' || speaker === before.speaker
  if (owner === 'i') return nameStems(speaker).includes(other)
  return other === 'i' && nameStems(before.speaker).includes(owner)
}

/** The stems of a speaker's names, without words that may mean something else: `the`, `will`. */
export function nameStems(speaker: string): readonly string[] {
  return wordStems(speaker.toLowerCase().replace(/\p{L}+/gu, (each) => (isStopWord(each) ? ' ' : each)))
}

/** The stems of all words of a text in lower case. */
export function wordStems(text: string): readonly string[] {
  return (text.match(/\p{L}+/gu) ?? []).map(stemOf)
}

/** Whether two persons speak of themselves, or two persons are named as the source: `I live in Bath`, `According to Ana, home is Bern now`. */
export function areTwoPersons(later: Clause, by: MessageOrigin, earlier: EarlierClause): boolean {
  if (later.source !== null && earlier.source !== null && later.source !== earlier.source) return true
  return earlier.speaker !== by.speaker && later.isOfSpeaker && earlier.isOfSpeaker
}

export function containsPhrase(text: string, phrase: string): boolean {
  const at = text.indexOf(phrase)
  return at >= 0 && !/[\w.]/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + phrase.length))
}

/** The share of the stems that the earlier sentence has. */
export function coverage(stems: readonly string[], earlier: Clause): number {
  return stems.length === 0 ? 0 : stems.filter((stem) => earlier.stems.has(stem)).length / stems.length
}
