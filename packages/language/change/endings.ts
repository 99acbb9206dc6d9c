/** The end of a state or an arrangement, its opposite, and its denial: `the kickoff is cancelled`, `the machine is fixed`, `I eat meat again`. */

import { terms } from '../terms.ts'
import type { Clause } from './clause.ts'
import { areTwoPersons, type ChangeRule, type EarlierClause, type MessageOrigin, sharedThings } from './rule.ts'
import { stemsIn } from './things.ts'

/** The least share of the ended thing's words in the earlier statement, which may name the thing in fewer words. */
const mostOf = 0.6

/** The ended thing after its verb (`cancelled the trip`), or before it (`the trip is cancelled`). */
const endsObject =
  /(?<!\b(?:n't|never|not|ever|won't|don't) (?:ever )?)\b(?:no longer(?: (?:has|have|is|are|a|an|the))?|stopped|quit|gave up|given up|have to cancel|must cancel|cancelled|cancel|dropped|scrap|forget about|removed|deleted|withdrew|shelved|gave away|sold(?! \d)|got rid of|gone off|off with|split up with|broke up with) (?!to |for |out |off |by )(?<what>[^,.;!]{2,40})/
const endsNot = /\b(?:n't|not|cant|dont|wont) (?<what>[^,.;!]{2,40}?) (?:any ?more|any longer)\b/
/** Tested before `endsSubject`, which tries up to fifty lengths of the phrase at every place of a clause. */
const subjectEnd =
  / (?:(?:is|are|was|were|has been|have been|got|'s) (?:cancelled|canceled|called off|scrapped|discontinued|removed|dropped|withdrawn|suspended|on hold|paused|abandoned|deprecated|shelved|decommissioned|not happening|not taking place|off(?=[,.!]|$| this| today| tonight| because)|gone)|fell through|died|passed away|was stolen|won't happen|isn't happening|won't take place|split up|broke up|(?:cancelled|bailed) on (?:us|me))/
const endsSubject = new RegExp(`(?<what>[^,.;!:]{2,50}?)${subjectEnd.source}`)
const offFirst = /^(?:the )?(?<what>\w+(?<!ing)) (?:is )?off\b(?! (?:the|of|to|on|in|at)\b)/

export const endOfThing: ChangeRule = (later) => {
  const act = endsObject.exec(later.text)?.groups?.['what'] ?? endsNot.exec(later.text)?.groups?.['what']
  const subject = subjectEnd.test(later.text) ? endsSubject.exec(later.text) : null
  const thing = subject?.groups?.['what'] ?? offFirst.exec(later.text)?.groups?.['what']
  const stems = terms(
    (act ?? thing ?? '').replace(
      /\b(?:from|for|because|since|after|until|altogether|completely|now|entirely|yesterday|today|please)\b.*$/,
      '',
    ),
  ).filter((each) => !/^\d/.test(each))
  const last = stems.at(-1)
  if (last === undefined) return null
  return {
    match(earlier: EarlierClause, by: MessageOrigin) {
      if (earlier.isDeniedThroughout || (act !== undefined && areTwoPersons(later, by, earlier))) return 0
      if (!earlier.terms().has(last)) return 0
      if (act !== undefined && earlier.speaker !== by.speaker && !sharesName(later, earlier)) return 0
      if (differ(later, earlier)) return 0
      if (
        !earlier.subject.has('i') &&
        !terms([...earlier.subject].join(' ')).includes(last) &&
        !stems.some((each) => earlier.subject.has(each)) &&
        earlier.subject.size > 0
      )
        return 0
      const shared = stems.filter((each) => earlier.terms().has(each)).length
      return shared / stems.length >= mostOf ? shared : 0
    },
  }
}

function sharesName(later: Clause, earlier: Clause): boolean {
  return [...later.subject].some((each) => each !== 'i' && earlier.stems.has(each))
}

/** Whether the modifiers say that the two are two things of one kind. */
function differ(later: Clause, earlier: Clause): boolean {
  return [...later.things].some((thing) => earlier.things.has(thing)) && sharedThings(later, earlier).length === 0
}

/** States of a thing that exclude each other, as said after `is`. */
const states: readonly (readonly [one: string, other: string])[] = [
  ['dead|broken|down|out of order|faulty', 'fixed|repaired|working|up|back|back up|up again|restored'],
  ['open', 'closed|shut'],
  ['off|disabled|inactive', 'on|enabled|active'],
  ['active|confirmed|approved|on', 'cancelled|canceled|suspended|rejected'],
  ['empty|free|vacant|available', 'taken|full|occupied|rented|sold'],
  ['engaged|single|dating', 'married'],
  ['married', 'divorced|separated'],
  ['ill|sick|in hospital|injured', 'well again|recovered|healthy|back home|discharged|better'],
  ['pending|under review|waiting', 'approved|rejected|denied|accepted|declined|merged'],
  ['offline', 'online'],
  ['private', 'public'],
  ['at home', 'away'],
  ['out of stock|sold out', 'in stock|available'],
  ['single', 'seeing someone|dating|engaged|in a relationship'],
  ['red|failing', 'green|passing'],
  ['a draft|in draft|unfinished', 'finished|final|done|published'],
]
/** States of a process that has not ended. `job 14 finished` ends it. */
const pending = /\b(?:running|waiting|pending|in progress|scheduled|queued|planned|under way|open)\b/
const completed =
  /\b(?:finished|completed|signed|merged|resolved|delivered|succeeded|arrived|paid|shipped)[.!]?(?= |$)(?! (?:a|the|my|our)\b)/
const failed = /\b(?:failed|failing|crashed)\b/
const succeeded = /\b(?:succeeded|passed|worked|works again|went through)\b/
const copula = "(?:is|are|was|were|'s|'re|'m|am|got|gets|been|still)"
const stated = states.map(([one, other]) => [form(one), form(other)] as const)
const anyState = form(states.flat().join('|'))

function form(words: string): RegExp {
  return new RegExp(
    `\\b${copula} (?:now |back |again |finally |still |all )*(?:${words})\\b(?! [a-z]+ing\\b)(?! (?:the|a|my)\\b)`,
  )
}

/** The opposite state: `the machine is fixed` after it was dead, `light mode again` after dark mode. */
export const oppositeState: ChangeRule = (later) => {
  const all = anyState.test(later.text) ? stated : []
  const found = all.flatMap(([one, other]) => [
    ...(other.test(later.text) ? [one] : []),
    ...(one.test(later.text) ? [other] : []),
  ])
  const mode = modeOf(later)
  const ends = [...(completed.test(later.text) ? [pending] : []), ...(succeeded.test(later.text) ? [failed] : [])]
  if (found.length === 0 && mode === null && ends.length === 0) return null
  return {
    match(earlier, by) {
      const before = mode && modeOf(earlier)
      const isOtherMode = mode && before && mode.noun === before.noun && mode.is !== before.is
      if (!isOtherMode && !haveOneSubject(later, earlier)) return 0
      const isEnded = ends.some((form) => form.test(earlier.text))
      if (!isOtherMode && !isEnded && !found.some((form) => form.test(earlier.text))) return 0
      if (later.isDenied || earlier.isDenied || areTwoPersons(later, by, earlier)) return 0
      if (isOtherMode) return 1
      const own = !isEnded && later.subject.has('i') && earlier.subject.has('i') && earlier.speaker === by.speaker
      const shared = sharedThings(later, earlier)
      return own ? 1 : shared.filter((thing) => later.subject.has(thing) && earlier.subject.has(thing)).length
    },
  }
}

/** The mode that a clause names: `dark mode`. */
function modeOf({ text }: Clause): { readonly is: string; readonly noun: string } | null {
  const found =
    /\b(?<is>dark|light|manual|automatic|public|private|silent|loud) (?<noun>mode|theme|transmission|repository|beta)\b/.exec(
      text,
    )
  return found?.groups ? { is: found.groups['is'] ?? '', noun: found.groups['noun'] ?? '' } : null
}

const idiom =
  /\b(?:can't wait|cannot wait|can't believe|not only|no idea|not sure|no problem|no worries|no doubt|why not|if not|not just|don't worry)\b/
/** The least share of the words of both that two equal statements have in common. */
const mostWords = 0.6

/** The same statement with and without a negation: `I don't eat dairy`, later `I eat dairy again`. */
export const polarity: ChangeRule = (later) => {
  const { isDenied } = later
  if (later.stems.size < 2 || idiom.test(later.text)) return null
  if (!isDenied && !/\b(?:again|after all|now|these days)\b/.test(later.text)) return null
  return {
    match(earlier, by) {
      if (earlier.isDenied === isDenied || idiom.test(earlier.text)) return 0
      if (areTwoPersons(later, by, earlier) || !samePerson(later, by, earlier)) return 0
      const shared = sharedCount(later.stems, earlier.stems)
      const all = later.stems.size + earlier.stems.size - shared
      const isSame = shared > 1 && shared / all >= mostWords && sharedThings(later, earlier).length > 0
      return isSame &&
        isDeniedOfBoth(isDenied ? later : earlier, isDenied ? earlier : later) &&
        haveOneSubject(later, earlier)
        ? shared
        : 0
    },
  }
}

function sharedCount(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0
  for (const each of one) if (other.has(each)) shared += 1
  return shared
}

function haveOneSubject(later: Clause, earlier: Clause): boolean {
  for (const each of later.subject) if (earlier.subject.has(each)) return true
  return false
}

/** Whether the negation stands before a word of the other statement: `won't sign`, not `not surprised that they sign`. */
function isDeniedOfBoth({ text }: Clause, stated: Clause): boolean {
  const after =
    /(?:\b(?:not|no longer|never|no|cant|dont|wont|isnt|arent|doesnt|didnt)|n't) (?<words>\w+(?: \w+){0,2})/.exec(text)
  return stemsIn(after?.groups?.['words'] ?? '').some((stem) => stated.stems.has(stem))
}

/** A statement of oneself is changed by the same speaker only. */
function samePerson(later: Clause, by: MessageOrigin, earlier: EarlierClause): boolean {
  return earlier.speaker === by.speaker || (!later.subject.has('i') && !earlier.subject.has('i'))
}
