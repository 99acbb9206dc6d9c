/** Another amount, date or time of the same thing: `the fee is 0.35 % now`, `the exam is moved to the 27th`, `make it 10:00`. */

import type { Clause } from './clause.ts'
import { areOneMatter, headsOf } from './matter.ts'
import {
  areTwoPersons,
  type Change,
  type ChangeRule,
  type EarlierClause,
  type MessageOrigin,
  sharedThings,
} from './rule.ts'
import { isSameDate, type Value } from './values.ts'

const timed = new Set(['date', 'clock'])

const meets = /\b(?:meet|meets|works?|runs?|trains?|opens?|closes?|comes?) (?:\w+ ){0,2}?(?:on|at)\b/

/** A person moves to a place, not to a date. */
const toPlace =
  /\bmov(?:e|ed|es|ing) to (?!the \d|\d|next\b|noon\b|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/

/** The values of the later sentence that its words of change concern. */
function changing({ values, cues, text }: Clause): readonly Value[] {
  return values.filter(({ kind }) => {
    if (cues.isCorrecting) return true
    if (timed.has(kind) && toPlace.test(text)) return false
    if (timed.has(kind)) return cues.isRescheduled || (cues.isFromNow && meets.test(text))
    return cues.isFromNow || cues.isReset
  })
}

function isSame(one: Value, other: Value): boolean {
  if (one.kind === 'date' && other.kind === 'date') return isSameDate(one.text, other.text)
  return one.text === other.text
}

function areComparable(one: Value, other: Value): boolean {
  if (one.kind === other.kind) return true
  const kinds = [one.kind, other.kind]
  return kinds.includes('number') && !kinds.some((kind) => timed.has(kind) || kind === 'money' || kind === '%')
}

/**
 * The values of the earlier sentence that the later one replaces, as a key: statements with equal keys say the same.
 */
function replacedValues(values: readonly Value[], later: Clause, earlier: Clause): string {
  const old = earlier.values.filter(
    (each) => values.some((value) => areComparable(value, each)) && !later.values.some((other) => isSame(each, other)),
  )
  return old.map(({ kind, text }) => `${kind} ${text.replace(/(?:st|nd|rd|th)\b/, '')}`).join()
}

/** The kinds in which the earlier sentence has a value that the later one replaces. */
function replacedKinds(values: readonly Value[], later: Clause, earlier: Clause): readonly string[] {
  return values
    .filter((value) => {
      const before = earlier.values.filter((each) => areComparable(value, each))
      const isNew = !before.some((each) => isSame(value, each))
      return isNew && before.some((each) => !later.values.some((other) => isSame(each, other)))
    })
    .map(({ kind }) => kind)
}

/** Kinds of amounts that many things have. Any other kind is the noun that is counted. */
const measure =
  /^(?:money|%|number|degree|second|minute|hour|day|week|month|year|time|mm|cm|m|km|metre|meter|mile|feet|foot|g|mg|kg|gram|kilo|ton|tonne|ml|l|litre|liter|pint|cup|gb|mb|tb|point|frame|page|line|x|k)$/

/** Counts the shared things besides the counted noun, which alone says little: 12 endpoints here, 9 there. */
function sharedApart(kinds: readonly string[], later: Clause, earlier: Clause): number {
  const shared = sharedThings(later, earlier)
  const isUnit = (thing: string) => kinds.some((kind) => kind === thing || kind.startsWith(thing))
  const isOfOther = (unit: string) => isUnit(unit) && earlier.things.has(unit) && !shared.includes(unit)
  if ([...later.things].some(isOfOther)) return 0
  const apart = shared.filter((thing) => !isUnit(thing))
  const isCounted = kinds.every((kind) => !measure.test(kind) && !timed.has(kind))
  if (apart.length > 0) {
    const isOne = isCounted
      ? headsOf(apart, later, earlier, isUnit).length > 0
      : areOneMatter(apart, later, earlier, isUnit)
    return isOne ? apart.length : 0
  }
  const [ours, theirs] = [later, earlier].map(({ things }) => [...things].filter((thing) => !isUnit(thing)))
  if (shared.length === 0) {
    const isOwn = later.subject.has('i') && earlier.subject.has('i') && later.verb === earlier.verb
    return isOwn && (ours?.length === 0 || theirs?.length === 0) ? 0.5 : 0
  }
  const isTime = kinds.every((kind) =>
    /^(?:floor|room|board|bed|spot|second|minute|hour|day|week|month|year|number|money|%)$/.test(kind),
  )
  return !isTime && (ours?.length === 0 || theirs?.length === 0) ? 0.5 : 0
}

export const otherValue: ChangeRule = (later) => {
  const values = changing(later)
  if (values.length === 0) return null
  return {
    outdated: (earlier) => replacedValues(values, later, earlier),
    match(earlier, by) {
      const kinds = replacedKinds(values, later, earlier)
      if (kinds.length === 0 || areTwoPersons(later, by, earlier)) return 0
      return sharedApart(kinds, later, earlier)
    },
  }
}

/** Whether both give the same subject a value of one kind, without a word of change. The newer one is only likelier. */
export function isNewerValue(later: Clause, earlier: EarlierClause, by: MessageOrigin): boolean {
  if (replacedKinds(later.values, later, earlier).length === 0 || areTwoPersons(later, by, earlier)) return false
  const shared = sharedThings(later, earlier)
  const isSubject = shared.some((thing) => later.subject.has(thing) && earlier.subject.has(thing))
  const isOwn = later.subject.has('i') && earlier.subject.has('i') && later.verb === earlier.verb && shared.length > 0
  return isSubject || isOwn
}

/** A correction or an agreement follows within this time. */
const maxAnswerMs = 10 * 60_000

/** `Sorry, the 16th`, `make it 10:00`: the sentence names no thing, so it changes the sentence before it. */
export const withoutThing: ChangeRule = (later) => {
  const { cues, values, things } = later
  if (values.length === 0 || !(cues.isCorrecting || isBareMove(later))) return null
  const taken = /\bnot (?:the |on |at )*(?<old>\d\w*)/.exec(later.text)?.groups?.['old']
  const isNamed = [...things].length > 0
  return {
    outdated: (earlier) => replacedValues(values, later, earlier),
    match(earlier: EarlierClause, by: MessageOrigin) {
      const gap = by.at - earlier.at
      if (gap <= 0 || gap > maxAnswerMs) return 0
      const isAgreed = /\bmake (?:it|that)\b|\bthen\b|\b(?:moved|pushed|postponed|shifted)\b|\binstead\b/.test(
        later.text,
      )
      if (earlier.speaker !== by.speaker && !isAgreed) return 0
      if (taken !== undefined && !earlier.text.includes(taken)) return 0
      if (isNamed && sharedThings(later, earlier).length === 0 && !isPronounFirst(later.text)) return 0
      return replacedKinds(values, later, earlier).length
    },
  }
}

const isPronounFirst = (text: string) => /\b(?:it's|it|they|that)\b/.test(text)

function isBareMove({ text, things, cues }: Clause): boolean {
  return things.size === 0 && (cues.isRescheduled || /^(?:ok |okay |then |let's |no )*\S+ then\b/.test(text))
}

/** The same subject, verb and kind of value in the present: `CI takes 22 minutes`, later `CI takes 9 minutes`. */
export const sameStatement: ChangeRule = (later): Change | null => {
  if (later.values.length === 0 || !isPresent(later) || later.subject.size === 0) return null
  return {
    match(earlier, by) {
      if (later.verb !== earlier.verb || !isPresent(earlier) || !areEqual(later.subject, earlier.subject)) return 0
      if (later.subject.has('i') && earlier.speaker !== by.speaker) return 0
      if (later.subject.has('i') && later.subject.size === 1 && sharedThings(later, earlier).length === 0) return 0
      if ([...later.subject].some((thing) => !haveEqualModifiers(thing, later, earlier))) return 0
      if (later.text.length > maxPlainChars || earlier.text.length > maxPlainChars) return 0
      return replacedKinds(later.values, later, earlier).filter((kind) => kind !== 'number' && !timed.has(kind)).length
    },
  }
}

/** Longer clauses say more than one value of one thing. */
const maxPlainChars = 80
const present =
  /\b(?:is|are|has|have|am|costs?|takes?|runs?|covers?|starts?|begins?|needs?|wants?|gives?|gets?|pays?)\b|\b(?:it|that|he|she|there|here|what)'s\b/

function isPresent({ text }: Clause): boolean {
  return present.test(text)
}

function areEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each))
}

function haveEqualModifiers(thing: string, later: Clause, earlier: Clause): boolean {
  return areEqual(later.modifiers.get(thing) ?? new Set(), earlier.modifiers.get(thing) ?? new Set())
}
