/** Comparisons of two sentences that the features of a pair are made of: shared words, names, values, subjects and designators. Numbers from 0 to 1. */
import { stemOf } from '../words.ts'
import type { Clause } from './clause.ts'
import { type Earlier, type Origin, sharedThings } from './rule.ts'
import type { Signs } from './signs.ts'
import { isSameDate, type Value } from './values.ts'

export interface SignedClause extends Clause {
  readonly signs: Signs
}
export type SignedEarlier = SignedClause & Earlier

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

export type PairSignals = NonNullable<ReturnType<typeof pairSignals>>

/** null: nothing in the later sentence can replace something in the earlier one. @param rule 1: a rule finds that the one message changes the other */
export function pairSignals(
  later: SignedClause,
  earlier: SignedEarlier,
  { by, rule }: { readonly by: Origin; readonly rule: number },
) {
  const contrast = { rule, soon: Number(isNearInTime(by, earlier)), ...contrastOf(later, earlier) }
  if (!differs(contrast)) return null
  const designators = compareDesignators(later, earlier)
  const subjects = compareSubjects(later, earlier)
  if (designators.otherDesignator + subjects.furtherOwner > 0 || areTwoKinds(later, earlier)) return null
  const { signs } = later
  const isSame = by.speaker === earlier.speaker
  const ofSpeakers = later.isOfSpeaker && earlier.isOfSpeaker
  return {
    ...contrast,
    ...designators,
    ...subjects,
    noShared: Number(contrast.shared === 0),
    sameSpeaker: Number(isSame),
    ofOneSpeaker: Number(ofSpeakers && isSame),
    ofTwoSpeakers: Number(ofSpeakers && !isSame),
    atOnce: Number(by.at - earlier.at <= 2 * minuteMs),
    afterDays: Number(by.at - earlier.at >= 2 * dayMs),
    sameVerb: Number(later.verb !== '' && later.verb === earlier.verb && later.verb !== 'be'),
    frame: frameShare(later.text, earlier.text),
    sharesName: Number(count(signs.names, (name) => earlier.signs.names.has(name)) > 0),
  }
}

function contrastOf(later: SignedClause, earlier: SignedEarlier) {
  const { signs } = later
  const shared = count(signs.content, (each) => earlier.signs.content.has(each))
  const cover = ({ size }: ReadonlySet<string>) => (size === 0 ? 0 : shared / size)
  const ofEarlier = cover(earlier.signs.content)
  const ofLater = cover(signs.content)
  const isFresh = count(signs.names, (name) => !earlier.signs.content.has(name)) > 0
  const isLost = isFresh && count(earlier.signs.names, (name) => !signs.content.has(name)) > 0
  return {
    later: signs,
    earlier: earlier.signs,
    shared,
    ofEarlier,
    ofLater,
    overlap: Math.max(ofEarlier, ofLater),
    cue: Math.max(signs.now, signs.moved, signs.ended, signs.corrected),
    swapsName: Number(isLost),
    denialDiffers: Number(later.isDenied !== earlier.isDenied),
    ...compareValues(later.values, earlier.values),
  }
}

type Contrast = ReturnType<typeof contrastOf> & { readonly rule: number; readonly soon: number }

/** Most pairs of a chat have no contrast. A sentence that shares no word is about the one before it, if it names nothing; a rule may know more. */
function differs({ rule, soon, shared, overlap, cue, later, otherValue, swapsName, denialDiffers }: Contrast): boolean {
  if (rule === 1) return true
  if (shared === 0) return soon === 1 && (later.corrected === 1 || later.pronoun * cue + otherValue > 0)
  if (otherValue + swapsName + later.corrected * soon > 0) return true
  return denialDiffers * overlap >= 0.5 || later.ended * overlap >= 0.3 || cue * overlap >= 0.5
}

/** A correction follows within minutes, and often names no thing. */
export function isNearInTime(later: Origin, earlier: Origin): boolean {
  return later.at - earlier.at <= 10 * minuteMs
}

function count(set: ReadonlySet<string>, holds: (each: string) => boolean): number {
  return [...set].filter(holds).length
}

const timed = new Set(['date', 'clock'])

function compareValues(later: readonly Value[], earlier: readonly Value[]) {
  const isEqual = (one: Value, other: Value) =>
    one.kind === 'date' && other.kind === 'date' ? isSameDate(one.text, other.text) : one.text === other.text
  const isKept = (each: Value) => later.some((value) => value.kind === each.kind && isEqual(value, each))
  const areComparable = (one: Value, other: Value) =>
    one.kind === other.kind ||
    ([one.kind, other.kind].includes('number') && !timed.has(one.kind) && !timed.has(other.kind))
  const isOther = later.some((value) =>
    earlier.some((each) => areComparable(value, each) && !isEqual(value, each) && !isKept(each)),
  )
  return {
    sameValue: Number(earlier.some(isKept)),
    otherValue: Number(isOther),
    valueAfterNone: Number(later.length > 0 && earlier.length === 0),
  }
}

function compareSubjects(later: SignedClause, earlier: SignedEarlier) {
  const [ours, theirs] = [later, earlier].map(({ subject }) => [...subject].filter((each) => each !== 'i')) as [
    string[],
    string[],
  ]
  const isShared = ours.some((each) => theirs.includes(each))
  const isOwn = later.subject.has('i') && earlier.subject.has('i')
  const rest = ours.filter((each) => !earlier.signs.content.has(each))
  const lost = theirs.filter((each) => !later.signs.content.has(each))
  const isMissing = (owners: ReadonlySet<string>, { signs }: SignedClause) =>
    Number([...owners].some((each) => !signs.content.has(stemOf(each))))
  return {
    sameSubject: Number(isOwn || isShared) * (rest.length + lost.length === 0 ? 1 : 0.5),
    otherSubject: Number(!isOwn && !isShared && rest.length > 0),
    namesSubject: Number(lost.length < theirs.length),
    missesSubject: Number(!isOwn && theirs.length > 0 && lost.length === theirs.length),
    furtherOwner: isMissing(later.signs.owners, earlier),
    missingOwner: isMissing(earlier.signs.owners, later),
  }
}

/** `the travel budget` and `the hardware budget`: each shared thing has other modifiers. */
function areTwoKinds(later: SignedClause, earlier: SignedEarlier): boolean {
  const isShared = [...later.things].some((thing) => earlier.things.has(thing))
  return isShared && !later.isOfAnother && sharedThings(later, earlier).length === 0
}

/** `room a` and `room b` are two things; `chapter 4` and `chapter 5` are two values, unless they are the subjects. */
function compareDesignators(later: SignedClause, earlier: SignedEarlier) {
  const before = earlier.signs.designators
  const found = [...later.signs.designators].flatMap(([kind, which]) => {
    const others = before.get(kind)
    const isSubject = later.subject.has(stemOf(kind)) && earlier.subject.has(stemOf(kind))
    if (others === undefined || !(isSubject || [...which].every((each) => /^[a-z]$/.test(each)))) return []
    return [[...which].some((each) => others.has(each))]
  })
  const isSame = found.includes(true)
  return { sameDesignator: Number(isSame), otherDesignator: Number(!isSame && found.length > 0) }
}

/** Longer sentences are compared by their beginning. */
const maxFrameWords = 40

/** The words of both that are in the same order, function words included, as a part of the longer one. */
function frameShare(later: string, earlier: string): number {
  const [ours = [], theirs = []] = [later, earlier].map((text) =>
    (text.match(/[\p{L}\p{N}']+/gu) ?? []).slice(0, maxFrameWords),
  )
  let row = new Array<number>(theirs.length + 1).fill(0)
  for (const word of ours) {
    const next = [0]
    for (const [j, other] of theirs.entries())
      next.push(word === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0))
    row = next
  }
  return (row.at(-1) ?? 0) / Math.max(1, ours.length, theirs.length)
}
