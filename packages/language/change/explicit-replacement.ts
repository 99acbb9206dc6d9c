/** Changes that name the old value: `from 80k to 65k`, `switched from RabbitMQ to SQS`, `the office instead of the small room`, `renamed Clara`. */

import type { Clause } from './clause.ts'
import { fromNowPattern } from './cues.ts'
import {
  areTwoPersons,
  type ChangeRule,
  containsPhrase,
  type EarlierClause,
  type MessageOrigin,
  sharedThings,
} from './rule.ts'
import { stemsIn } from './things.ts'

const uses =
  /\b(?:us(?:e|es|ing)|runs?(?:ning)? on|play(?:ed|s)? with|work(?:s|ing)? (?:with|at|for|in|on)|liv(?:e|es|ing) (?:in|at)|is|are|have|has|on)\b/
const fromToForm =
  /\b(?:switch|chang|mov|went|goes?|gone|migrat|rais|lower|reduc|cut|increas|decreas|turn|drop|rose|ris|upgrad|downgrad|bump|shift|swap|postpon|reschedul|extend|came|fell)\w*\b(?<thing>[^.;]{0,60}?)\bfrom (?<old>[^,.;]{1,30}?) to (?<value>[\w£$€%.-]+)/

/** `the budget went from 80k to 65k`, `we switched from RabbitMQ to SQS` */
export const fromTo: ChangeRule = (later) => {
  const found = fromToForm.exec(later.text)?.groups
  const old = found?.['old']?.replace(/^(?:the|a|an) /, '')
  if (old === undefined) return null
  const own = new Set(stemsIn(old))
  const others = [...later.things].filter((thing) => !own.has(thing))
  return {
    match(earlier) {
      if (!containsPhrase(earlier.text, old) || containsPhrase(earlier.text, found?.['value'] ?? '')) return 0
      if (others.some((thing) => earlier.things.has(thing))) return 2
      return own.size > 0 && !earlier.isDenied && uses.test(earlier.text) ? 1 : 0
    },
  }
}

const notOldForm =
  /(?<how>\binstead of|\brather than|[ ,]not) (?:the |a |an |on |at |in |by |with |my |from )*(?<old>[\w£$€%.-]+(?: [\w-]+)?)/g

/** `the 16th, not the 14th`, `at their office now, not on Zoom`, `the office instead of the small room` */
export const insteadOf: ChangeRule = (later) => {
  const place = /\bnow,? not (?<old>(?:on|at|in|with) \w+)/.exec(later.sentence)?.groups?.['old']
  const old = [...later.text.matchAll(notOldForm)].flatMap(({ groups }) => {
    const first = groups?.['old']?.split(' ')[0]?.replace(/\.$/, '') ?? ''
    const isSure =
      /^[\d£$€]/.test(first) ||
      groups?.['how'] !== ' not' ||
      /\bnow\b|\bchanged my mind\b|\bchange of plans?\b/.test(later.sentence)
    const isWord = /^[\d£$€]/.test(first) || stemsIn(first).length > 0 || /^\w+day$/.test(first)
    return isSure && isWord ? [{ first, own: new Set(stemsIn(groups?.['old'] ?? '')) }] : []
  })
  if (place === undefined && old.length === 0) return null
  return {
    match(earlier, by) {
      if (place !== undefined && containsPhrase(earlier.text, place)) return 1
      const isCounted = old.some(({ first }) =>
        later.values.some(({ kind }) => earlier.values.some((each) => each.kind === kind && each.text === first)),
      )
      if (isCounted && earlier.speaker === by.speaker) return 1
      const isSameDay = later.values.some(
        ({ kind, text }) => kind === 'date' && earlier.values.some((each) => each.text === text),
      )
      if (isSameDay && old.some(({ first }) => containsPhrase(earlier.text, first))) return 1
      const shared = old.flatMap(({ first, own }) =>
        containsPhrase(earlier.text, first)
          ? [...later.stems].filter((stem) => !own.has(stem) && earlier.stems.has(stem))
          : [],
      )
      return new Set(shared).size
    },
  }
}

const replacedForm =
  /\b(?:replac(?:ed|es|ing)|swapp?(?:ed|s|ing)?|exchang(?:ed|es|ing)|traded) (?:the |our |my |his |her )?(?<old>[^,.;]{2,40}?) (?:with|by|for|against) (?:the |a |an )?(?<value>[\w-]+)/
const renamedForm =
  /\b(?:renamed|rename) (?:the |our |my )?(?<old>[^,.;]{2,40}?)(?= (?:to|as|into)\b|[,.;]|$)|(?<other>[\w -]{2,40}?) (?:is|are) now (?:called|named|known as)\b|(?<third>[\w -]{2,40}?) (?:is|was|has been|got) renamed\b/

/** Tested before `renamedForm`, which tries up to forty lengths of the name at every place of a clause. */
const renaming = /\brenamed?\b|\b(?:is|are) now (?:called|named|known as)\b/

/** `I replaced Moment with Luxon`, `Heron is now called Osprey`: the rename changes the statement of the old name. */
export const replacementOrRename: ChangeRule = (later) => {
  const swap = replacedForm.exec(later.text)?.groups?.['old']
  const names = renaming.test(later.text) ? renamedForm.exec(later.text)?.groups : undefined
  const renamed = names?.['old'] ?? names?.['other'] ?? names?.['third']
  const stems = stemsIn((swap ?? renamed ?? '').replace(/^.*\b(?:so|and|but|the)\b/, ''))
  if (stems.length === 0) return null
  return {
    match(earlier: EarlierClause, by: MessageOrigin) {
      if (areTwoPersons(later, by, earlier) && swap !== undefined) return 0
      if (!stems.every((stem) => earlier.stems.has(stem)) || earlier.isDenied) return 0
      if (swap === undefined) return /\b(?:called|named|name|codename|is)\b/.test(earlier.text) ? 1 : 0
      return sharedThings(later, earlier).length
    },
  }
}

/** Verbs that have one object at a time in the present; one pattern for each meaning. */
const single: readonly RegExp[] = [
  /\b(?:read|reading)\b/,
  /\b(?:drink|drinks|drinking)\b/,
  /\b(?:play|plays)\b/,
  /\b(?:drive|drives)\b/,
  /\bstud(?:y|ies|ying)\b/,
  /\b(?:stay|stays|staying)\b/,
  /\b(?:uses?|using|runs?|running on|work with|works with|switched to)\b/,
  /\b(?:buys?|order|orders|get|gets)\b.*\bfrom\b/,
  /\b(?:goes|go) to\b/,
  /\b(?:works?|working) (?:at|for|from|as)\b/,
  /\bprefers?\b|\bfavou?rite\b/,
  /\banswer\b/,
]
/** Indices of the verbs that need a shared thing: a tool for one purpose says nothing about a tool for another. */
const needsThing = new Set([6, 7, 8])

/** The same subject does the same with something else now: `I'm reading Dune`, later `I'm reading Solaris now`. */
export const sameActivity: ChangeRule = (later) => {
  if (!fromNowPattern.test(later.text) && !/\bsince\b/.test(later.text)) return null
  const verbs = single.map((verb, i) => (verb.test(later.text) ? i : -1)).filter((i) => i >= 0)
  const isActive = later.verb !== '' && !generic.test(later.verb)
  if (verbs.length === 0 && !isActive) return null
  return {
    match(earlier, by) {
      const verb = verbs.find((i) => single[i]?.test(earlier.text))
      if (verb === undefined && !(isActive && later.verb === earlier.verb)) return 0
      if (earlier.isDenied || !sameSubject(later, by, earlier)) return 0
      const objects = [...later.stems].filter((each) => !later.subject.has(each) && each !== later.verb)
      if (objects.length === 0 || objects.every((each) => earlier.stems.has(each))) return 0
      const shared = sharedThings(later, earlier)
      if (verb !== undefined) return needsThing.has(verb) ? shared.length : 1 + shared.length
      return shared.filter((each) => !later.subject.has(each)).length
    },
  }
}

const generic =
  /^(?:be|have|get|go|do|make|feel|love|like|need|want|see|know|think|say|tell|look|take|give|come|can|will|start|try|let|help|keep|find|put|call|talk|wait|hope|seem|sound|enjoy|learn|work)$/

function sameSubject(later: Clause, by: MessageOrigin, earlier: EarlierClause): boolean {
  if (later.subject.size === 0 && earlier.subject.size === 0) return earlier.speaker === by.speaker
  if (later.subject.has('i') && earlier.subject.has('i')) return earlier.speaker === by.speaker
  return [...later.subject].some((each) => earlier.subject.has(each))
}
