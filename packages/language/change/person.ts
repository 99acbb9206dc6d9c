/**
 * Changes in the life of a person, and roles that pass from one person to another: `I moved to Linz`, `Ines owns it
 * from Monday`, `so Declan is the best man`.
 */

import type { Clause } from './clause.ts'
import { failurePattern } from './cues.ts'
import {
  areTwoPersons,
  type ChangeRule,
  type EarlierClause,
  type MessageOrigin,
  nameStems,
  sharedThings,
  wordStems,
} from './rule.ts'
import { stemsIn } from './things.ts'

const home =
  /\b(?:i|we|my|our) (?:(?:now )?live (?:in|at)|address is|home is|(?:am|'m|are|'re) based in)\b|\bi'm based in\b|\blive at\b/
const moved =
  /\b(?:i|we|i've|we've) (?:have )?(?:just )?(?:moved|relocated)(?: back)?(?: to (?!the\b|a\b)\w|,|\.| (?:last|yesterday|this|in|on)\b|$)|\b(?:my|our) (?:new )?address is (?:now )?|\b(?:i|we|i've|we've) (?:have )?(?:just )?moved (?:in|into)\b/
const job = /\bi (?:work (?:at|for|as|in)|drive an?)\b|\bi'?a?m an? [\w -]+ (?:at|for|in) (?:a|an|the)\b/
const newJob =
  /\bi(?:'m| am) (?:now )?retired\b|\bi (?:now work (?:at|for|as)|work (?:at|for|as) [^.,]+ now|started (?:at|as|working (?:at|for)) )|\b(?:quit|left) [^.,]{2,40} and (?:now )?work\b|\bi (?:quit|left) my job\b/

/** `I moved to Linz`, `I'm retired now` */
export const lifeChange: ChangeRule = (later) => {
  const isMove = moved.test(later.text)
  const isNewJob = newJob.test(later.text)
  if (!isMove && !isNewJob) return null
  return {
    match(earlier, by) {
      if (earlier.speaker !== by.speaker || earlier.at === by.at) return 0
      return (isMove && home.test(earlier.text)) || (isNewJob && job.test(earlier.text)) ? 1 : 0
    },
  }
}

/** A person left a place or an employer: `Laura left Siemens for Bosch` */
export const departure: ChangeRule = (later) => {
  const found =
    /\b(?<who>\w+) (?:has |have )?(?:just |now |already |finally )?(?:left|quit|resigned from) (?!for\b|to\b|in\b|on\b|it\b|the\b|a\b|my\b|her\b|his\b|us\b|me\b|at\b|early\b)(?<where>\w+)/.exec(
      later.text,
    )?.groups
  if (found === undefined) return null
  const { who = '', where = '' } = found
  return {
    match(earlier: EarlierClause, by: MessageOrigin) {
      const isWho = /^(?:i|we)$/.test(who)
        ? earlier.speaker === by.speaker && earlier.subject.has('i')
        : holdsWord(earlier, who)
      return isWho && (holdsWord(earlier, where) || isContact(earlier)) && !/\b(?:was|were)\b/.test(earlier.text)
        ? 1
        : 0
    },
  }
}

const isContact = ({ text }: Clause) => /\b(?:contact|manager|lead|head|chair|boss)\b/.test(text)

function holdsWord({ text }: Clause, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text)
}

/** Someone else holds a role or an office from now on. */
const takesOver =
  /\b(?:takes over|took over|taking over|(?:was|is|were|got) (?:elected|appointed|named)|(?:is|are) the new|steps in as|stands in as)\b/
const responsible =
  /\b(?:owns?|own|leads?|lead|responsible|in charge|belongs? to|on call|on duty|head of|chair|contact)\b/
const hands =
  /\b(?:from now on|from (?:mon|tues|wednes|thurs|fri|satur|sun)day|talk to|handing over|hand over|handed over|this week|new duty|instead)\b/

/** Another person has the role or does the job. */
export const reassignment: ChangeRule = (later) => {
  const people = new Set([...later.names, ...later.subject].filter((each) => each !== 'i'))
  const isOwn = later.subject.has('i')
  if (people.size === 0 && !isOwn) return null
  const ownRole = roleOf(later)
  const isFailing = failurePattern.test(later.sentence) && later.sentence !== later.text
  const takes = takesOver.test(later.text) || (responsible.test(later.text) && hands.test(later.sentence))
  const isFromNow =
    /(?<!\b(?:right|for|by) )\bnow\b|\b(?:instead|from now on|this time)\b/.test(later.text) &&
    later.verb !== '' &&
    !/^(?:be|have|get|go|want|need|like|love|know)$/.test(later.verb)
  if (ownRole === null && !isFailing && !takes && !isFromNow) return null
  return {
    match(earlier, by) {
      const isNew = [...people].some((each) => !earlier.stems.has(each)) || (isOwn && earlier.speaker !== by.speaker)
      if (!isNew || later.sentence.length > maxSentenceChars) return 0
      const role = roleOf(earlier)
      if (ownRole && role && ownRole.role === role.role && !role.holders.some((each) => people.has(each))) return 1
      const holders = [...earlier.subject, ...earlier.names]
      const task = sharedTask(later, earlier, holders)
      if (isFailing && holders.some((each) => isOut(each, later, by, earlier))) return task.length
      if (isFromNow && later.verb === earlier.verb && !holders.some((each) => later.subject.has(each)))
        return task.length
      return takes && (responsible.test(earlier.text) || role !== null) ? task.length : 0
    },
  }
}

/** Longer sentences tell a story, and name people in passing. */
const maxSentenceChars = 120

/** `Declan is the best man`, `our contact is Lukas`: a role that one person holds. */
function roleOf({
  text,
  names,
  subject,
}: Clause): { readonly role: string; readonly holders: readonly string[] } | null {
  const is = /\b(?:is|am|'m|are|will be) (?:now )?(?:the|our|my) (?<role>[\w ]{3,40})/.exec(text)?.groups?.['role']
  if (is !== undefined && [...subject].some((each) => names.has(each) || each === 'i')) {
    const role = stemsIn(is)
    return role.length === 0 || role.some((each) => names.has(each))
      ? null
      : { role: role.toSorted().join(' '), holders: [...subject] }
  }
  const first = /(?:^|, )(?:the|our|my) (?<role>[\w' ]{3,40}?) (?:is|will be) (?<who>[\w-]+)/.exec(text)?.groups
  const [who = ''] = stemsIn(first?.['who'] ?? '')
  if (!names.has(who)) return null
  return {
    role: stemsIn(first?.['role'] ?? '')
      .toSorted()
      .join(' '),
    holders: [who],
  }
}

/** Whether the sentence says, outside of this clause, that the holder is out. */
function isOut(holder: string, later: Clause, by: MessageOrigin, earlier: EarlierClause): boolean {
  const others = later.sentence.replace(later.text, ' ')
  if (holder === 'i' && by.speaker === earlier.speaker) return /\b(?:i|i'll|i'm|my)\b/.test(others)
  if (holder === 'i') return nameStems(earlier.speaker).some((name) => wordStems(others).includes(name))
  return stemsIn(others).includes(holder)
}

/** The words of the role or the job, without the people. */
function sharedTask(later: Clause, earlier: EarlierClause, holders: readonly string[]): readonly string[] {
  const people = new Set([...earlier.names, ...(earlier.verb === 'be' ? [] : holders)])
  return sharedThings(later, earlier).filter((each) => !people.has(each))
}

/** The place or the partner of a plan is lost: `the lake house is double booked, so we marry at the old mill instead`. */
export const planFailure: ChangeRule = (later) => {
  const isPart = later.sentence !== later.text
  if (!isPart || !failurePattern.test(later.text) || later.subject.size === 0) return null
  if (!/\b(?:instead|now|so|going to|until|then)\b/.test(later.sentence.replace(later.text, ' '))) return null
  const lost = [...later.subject].filter((each) => each !== 'i')
  return {
    match(earlier, by) {
      if (lost.length === 0 || !lost.every((each) => earlier.things.has(each)) || areTwoPersons(later, by, earlier))
        return 0
      const isPlan = earlier.values.some(({ kind }) => kind === 'date' || kind === 'clock')
      const isPlace = new RegExp(`\\b(?:at|in|from|with|to) (?:the |our |my )?\\w* ?${lost[0]}`).test(earlier.text)
      return isPlace && (isPlan || lost.some((each) => later.names.has(each))) ? lost.length : 0
    },
  }
}
