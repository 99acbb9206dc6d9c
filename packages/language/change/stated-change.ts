/** Statements that a thing changes, or is another from now on: `I changed the wifi password`, `my gym is on Mondays now`, `new alarm code: 5582`. */

import { fromNowPattern } from './cues.ts'
import { areTwoPersons, type ChangeRule, coverage, type EarlierClause, sharedThings } from './rule.ts'
import { stemsIn } from './things.ts'

const changedForm = /\b(?:changed|reset|replaced|switched) (?:the |my |our |his |her )?(?<what>[^,.;:]{2,40})/
const newForm =
  /^(?:(?:i |we )?(?:got|have|has) )?(?:my |our |the )?(?:an? )?new (?<what>[\w' -]{2,30}?)(?:[:,]| is| was) ?(?<value>\S+)/

export const statedChange: ChangeRule = (later) => {
  const changed = changedForm.exec(later.text)?.groups?.['what']
  const found = newForm.exec(later.text)?.groups
  const what = changed ?? found?.['what']
  if (what === undefined) return null
  const [stems, value] = [stemsIn(what), stemsIn(found?.['value'] ?? '')]
  if (stems.length === 0) return null
  const isPlain = stems.length === 1 && changed !== undefined
  return {
    match(earlier, by) {
      if (isPlain && earlier.speaker !== by.speaker) return 0
      if (areTwoPersons(later, by, earlier) || coverage(stems, earlier) < 1 || !hasValue(what, earlier)) return 0
      return changed === undefined && coverage(value, earlier) === 1 ? 0 : stems.length
    },
  }
}

const movedForm =
  /\b(?:moved|switched|migrated|changed|reassigned|transferred|relocated|assigned) (?:the |our |my |his |her )?(?<what>[^,.;:]{2,40}?) (?:over )?(?:to|into|onto) (?<value>[\w-]+)|^(?:the |our |my )?(?<own>[\w' -]{2,40}?) (?:is |was |has been |got )?(?:switched|changed|migrated|reassigned|set) (?:over )?to (?<other>[\w-]+)/
const located = /^(?:live|run|sit|host|assign|store|keep|use|belong|stay|stand|hang|li)$/

/** `I moved the dashboard into atlas-admin`, `the default region switched to eu-central-1` */
export const movedThing: ChangeRule = (later) => {
  const { what, own, value, other } = movedForm.exec(later.text)?.groups ?? {}
  const stems = stemsIn(what ?? own ?? '')
  if (stems.length === 0) return null
  return {
    match(earlier, by) {
      if (
        areTwoPersons(later, by, earlier) ||
        coverage(stems, earlier) < 1 ||
        sharedThings(later, earlier).length === 0
      )
        return 0
      if (
        coverage(stemsIn(value ?? other ?? ''), earlier) === 1 ||
        /\d/.test(value ?? other ?? '') !== /\d/.test(earlier.text)
      )
        return 0
      const isPlace = earlier.complement?.form === 'place' || located.test(earlier.verb)
      return isPlace || (own !== undefined && earlier.complement?.form === 'identity') ? stems.length : 0
    },
  }
}

/** The subject is something else, or somewhere else, from now on: `the router is in the hall now`. */
export const otherComplement: ChangeRule = (later) => {
  const { complement, subject } = later
  if (complement === null || complement.stems.size === 0 || subject.size === 0 || subject.has('i')) return null
  if (!fromNowPattern.test(later.text)) return null
  return {
    match(earlier, by) {
      const before = earlier.complement
      if (before === null || before.form !== complement.form || areTwoPersons(later, by, earlier)) return 0
      const shared = sharedThings(later, earlier).filter((each) => subject.has(each) && earlier.subject.has(each))
      const isOther = [...complement.stems].some((each) => !earlier.stems.has(each)) && before.stems.size > 0
      const rest = [...subject].filter((each) => !earlier.subject.has(each))
      return isOther && rest.length === 0 ? shared.length : 0
    },
  }
}

/** Whether the earlier sentence gives the thing a value: `the wifi password is …` */
function hasValue(what: string, earlier: EarlierClause): boolean {
  const head = what.trim().split(' ').at(-1) ?? ''
  return new RegExp(
    `\\b${head.replaceAll(/[^\w]/g, '')}(?: (?:at|of|for|in|to) [\\w' -]{2,30}?)?(?: is| are| ends|:|'s) `,
  ).test(earlier.text)
}
