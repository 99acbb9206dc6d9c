/**
 * The rules for a change. A rule reads the later sentence once and gives the test for earlier ones; null: the sentence states no change of its
 * kind. So a message without a change costs nothing to compare.
 */
import { terms } from '../terms.ts'
import { amountsIn, datesIn, hasTime } from './values.ts'

export interface Sentence {
  /** Normalized. */
  readonly text: string
  readonly stems: ReadonlySet<string>
}

/** The speaker and the time of a message, in ms since the epoch. */
export interface Origin {
  readonly speaker: string
  readonly at: number
}

export type Change = (earlier: Sentence & Origin, by: Origin) => boolean
type Rule = (later: Sentence) => Change | null

/** Words of change say that something changed, not what. */
const idle = new Set(
  'from switch chang move went raise lower reduc increas decreas turn drop postpon reschedul delai cancel replac instead longer anymor stop sorri correct actual meant mean again new fix settl time thing today week month year dai'.split(
    ' ',
  ),
)

export function stemsOf(text: string): readonly string[] {
  return terms(text).filter((stem) => stem.length > 1 && !/^\d/.test(stem) && !idle.has(stem))
}

function share(stems: readonly string[], earlier: Sentence): boolean {
  return stems.some((stem) => earlier.stems.has(stem))
}

function without(stems: Iterable<string>, others: ReadonlySet<string>): readonly string[] {
  return [...stems].filter((stem) => !others.has(stem))
}

/** Whether there are stems and the earlier sentence has them all. */
function within(stems: readonly string[], earlier: Sentence): boolean {
  return stems.length > 0 && stems.every((stem) => earlier.stems.has(stem))
}

function holds(text: string, phrase: string): boolean {
  const at = text.indexOf(phrase)
  return at >= 0 && !/[\w.]/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + phrase.length))
}

const denied = /\b(?:not|no|never|no longer|any ?more|cancelled|canceled|stopped)\b|n't\b/
const uses =
  /\b(?:us(?:e|es|ing)|run(?:s|ning)? on|play(?:ed|s)? with|work(?:s|ing)? (?:with|at|for|in|on)|liv(?:e|es|ing) (?:in|at)|is|are|have|has|on)\b/

/** `the budget went from 80k to 65k`, `we switched from RabbitMQ to SQS` */
const fromTo: Rule = (later) => {
  const found =
    /\b(?:switch|chang|mov|went|goes?|gone|migrat|rais|lower|reduc|cut|increas|decreas|turn|drop|rose|ris|upgrad|downgrad|bump|shift|swap|postpon|reschedul)\w*\b(?<thing>[^.;]{0,60}?)\bfrom (?<old>[^,.;]{1,30}?) to (?<value>[\w£$€%.-]+)/.exec(
      later.text,
    )?.groups
  const old = found?.['old']?.replace(/^(?:the|a|an) /, '')
  if (old === undefined) return null
  const own = new Set(stemsOf(old))
  const others = without(later.stems, own)
  return (earlier) => {
    if (!holds(earlier.text, old) || holds(earlier.text, found?.['value'] ?? '')) return false
    return share(others, earlier) || (own.size > 0 && uses.test(earlier.text) && !denied.test(earlier.text))
  }
}

/** `the 16th, not the 14th`, `at their office now, not on Zoom`, `the office instead of the small room` */
const notOld: Rule = (later) => {
  const place = /\bnow,? not (?<old>(?:on|at|in|with) \w+)/.exec(later.text)?.groups?.['old']
  const pattern =
    /(?<how>\binstead of|\brather than|[ ,]not) (?:the |a |an |on |at |in |by |with |my |from )*(?<old>[\w£$€%.-]+(?: [\w-]+)?)/g
  const old = [...later.text.matchAll(pattern)].flatMap(({ groups }) => {
    const first = groups?.['old']?.split(' ')[0]?.replace(/\.$/, '') ?? ''
    const isSure = /^[\d£$€]/.test(first) || groups?.['how'] !== ' not' || /\bnow\b/.test(later.text)
    if (!isSure || terms(first).length === 0) return []
    return [{ first, others: without(later.stems, new Set(terms(groups?.['old'] ?? ''))) }]
  })
  if (place === undefined && old.length === 0) return null
  return (earlier) =>
    (place !== undefined && holds(earlier.text, place)) ||
    old.some(({ first, others }) => holds(earlier.text, first) && share(others, earlier))
}

/** `I'm no longer a vegetarian`, `the kickoff is cancelled`, `the job fell through` */
const ended: Rule = (later) => {
  const act =
    /(?<!\b(?:n't|never|not|ever|won't|don't) (?:ever )?)\b(?:no longer|stopped|quit|gave up|given up) (?<what>[^,.;!]{2,40})/.exec(
      later.text,
    )?.groups?.['what'] ??
    /\bn[o']t (?<what>[^,.;!]{2,40}?) (?:any ?more|any longer)\b/.exec(later.text)?.groups?.['what']
  if (act !== undefined) {
    const stems = stemsOf(act.replace(/\bfrom\b.*$/, ''))
    return (earlier, by) => earlier.speaker === by.speaker && isStated(earlier) && within(stems, earlier)
  }
  const thing =
    /(?<what>[^,.;!:]{2,50}?) (?:(?:is|are|was|were|has been|got) (?:cancelled|canceled|called off|scrapped|discontinued)|fell through)/.exec(
      later.text,
    )?.groups?.['what'] ??
    /^(?:the )?(?<what>\w+(?<!ing)) (?:is )?off\b(?! (?:the|of|to|on|in|at)\b)/.exec(later.text)?.groups?.['what']
  if (thing === undefined) return null
  const stems = stemsOf(thing.replace(/^.*\b(?:the|our|my)\b/, ''))
  return (earlier) => isStated(earlier) && within(stems, earlier)
}

/** Whether a clause of the sentence denies nothing. */
function isStated(earlier: Sentence): boolean {
  return !earlier.text.split(',').every((clause) => denied.test(clause))
}

/** `Nordlicht postponed the pilot to 28 April`, `the exam is moved to the 27th`, `the hedge is now on the 16th` */
const rescheduled: Rule = (later) => {
  if (!hasTime(later.text)) return null
  const act =
    /\b(?:mov|postpon|reschedul|push|shift|delay)\w*(?: back| forward)? (?:the |our |my |his |her )?(?<what>[^,.;]{2,40}?) (?:from|to|until|till|by) (?:the |next |about |around )?(?:\d|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|tomorrow|week|month)/.exec(
      later.text,
    )?.groups?.['what']
  const passive =
    /(?:^|[,:] ?)(?<what>[^,.;:]{2,50}?) (?:(?:is|was|are|were|has been|got|gets)? ?(?:moved|postponed|rescheduled|pushed|shifted|delayed|put back|brought forward) (?:back |forward )?(?:from|to|until|by)|(?:is|are) now (?:on|at|in)) (?:the |next |about |around )?(?:\d|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|tomorrow|week|month)/.exec(
      later.text,
    )?.groups?.['what']
  const things = [passive, act].filter((what) => what !== undefined).map(stemsOf)
  if (things.length === 0) return null
  return (earlier) => hasTime(earlier.text) && things.some((stems) => within(stems, earlier))
}

const newly =
  /\b(?:now|new|raised?|lower(?:ed)?|reduced|increased|cut|(?:goes|went|gone) (?:up|down)|up to|down to|settled|instead|from (?:now|next|january|february|march|april|may|june|july|august|september|october|november|december)|is at|are at|hired|left)\b/
const moneyOnly = /^(?:money|%)$/
/** Stems. */
const currencies = ['pound', 'euro', 'dollar', 'quid']

/** Another amount of the same thing: `three employees now`, `the fee: 0.35 % now`, `API is at 17 endpoints` */
const otherAmount: Rule = (later) => {
  if (!newly.test(later.text)) return null
  const amounts = amountsIn(later.text).filter(({ unit }) => unit !== '')
  if (amounts.length === 0) return null
  return (earlier) =>
    !denied.test(earlier.text) &&
    amounts.some(({ number, unit }) => {
      const before = amountsIn(earlier.text).filter((each) => each.unit === unit)
      if (before.length === 0 || before.some((each) => each.number === number)) return false
      return share(without(later.stems, new Set(moneyOnly.test(unit) ? currencies : terms(unit))), earlier)
    })
}

const home =
  /\b(?:i|we|my|our) (?:(?:now )?live (?:in|at)|address is|home is|(?:am|'m|are|'re) based in)\b|\bi'm based in\b|\blive at\b/
const moved =
  /\b(?:i|we|i've|we've) (?:have )?(?:just )?(?:moved|relocated)(?: back)?(?: to (?!the\b|a\b)\w|,|\.| (?:last|yesterday|this|in|on)\b|$)|\b(?:my|our) (?:new )?address is (?:now )?/
const job = /\bi (?:work (?:at|for|as|in)|drive an?)\b|\bi'?a?m an? [\w -]+ (?:at|for|in) (?:a|an|the)\b/
const newJob =
  /\bi(?:'m| am) (?:now )?retired\b|\bi (?:now work (?:at|for|as)|work (?:at|for|as) [^.,]+ now|started (?:at|as|working (?:at|for)) )/

/** `I moved to Linz`, `I'm retired now` */
const life: Rule = (later) => {
  const isMove = moved.test(later.text)
  const isNewJob = newJob.test(later.text)
  if (!isMove && !isNewJob) return null
  return (earlier, by) =>
    earlier.speaker === by.speaker &&
    earlier.at !== by.at &&
    ((isMove && home.test(earlier.text)) || (isNewJob && job.test(earlier.text)))
}

/** `I changed the wifi password`, `my gym is on Mondays now`, `the contact is Lukas from now on` */
const otherValue: Rule = (later) => {
  const changed = /\b(?:changed|reset|replaced) (?:the|my|our|his|her) (?<what>[^,.;:]{2,40})/.exec(later.text)
    ?.groups?.['what']
  if (changed !== undefined) {
    const stems = stemsOf(changed)
    return (earlier) => within(stems, earlier) && hasValue(changed, earlier)
  }
  const found =
    /(?:^|[,:] ?)(?:the |my |our |his |her )?(?<what>[\w' -]{2,40}?) (?:is|are) (?<value>[^,;]{2,50}?)(?: from now on|(?<!\bright|\bfor) now| again)\b/.exec(
      later.text,
    )?.groups
  const what = found?.['what']
  if (what === undefined) return null
  const [stems, value] = [stemsOf(what), stemsOf(found?.['value'] ?? '')]
  return (earlier) => within(stems, earlier) && hasValue(what, earlier) && !within(value, earlier)
}

/** Whether the earlier sentence gives the thing a value: `the wifi password is …` */
function hasValue(what: string, earlier: Sentence): boolean {
  const head = what.trim().split(' ').at(-1) ?? ''
  return new RegExp(`\\b${head.replaceAll(/\W/g, '')}(?: (?:at|of|for|in|to) [\\w' -]{2,30}?)?(?: is| are|:) `).test(
    earlier.text,
  )
}

const opposites: readonly (readonly [RegExp, RegExp])[] = [
  [/\bdark (?<noun>\w+)/, /\blight (?<noun>\w+)/],
  [
    /\b(?<noun>\w+) (?:is|are) (?:dead|broken|down|out of order)\b/,
    /\b(?<noun>\w+) (?:is|are) (?:fixed|repaired|working|back)\b/,
  ],
  [/\b(?<noun>\w+) (?:is|are) open\b/, /\b(?<noun>\w+) (?:is|are) (?:now )?closed\b/],
]

/** `light mode again` after dark mode, `the machine is fixed` after it was dead */
const opposite: Rule = (later) => {
  const found = opposites
    .flatMap((pair) => [pair, pair.toReversed()])
    .flatMap(([before, now]) => {
      const noun = now?.exec(later.text)?.groups?.['noun']
      return before === undefined || noun === undefined ? [] : [{ before, noun }]
    })
  if (found.length === 0) return null
  return (earlier) => found.some(({ before, noun }) => before.exec(earlier.text)?.groups?.['noun'] === noun)
}

/** Corrections follow at once. */
const maxCorrectionMs = 3 * 60_000
const correcting =
  /^(?:(?:oh|ah|no|oops|argh|wait),? )?(?:sorry|correction|oops|no wait|wait|i meant?|i misspoke|make that)\b|\bi meant\b/

/** `Sorry, the 16th` right after a message of the same speaker with another value of that kind */
const corrected: Rule = (later) => {
  if (!correcting.test(later.text)) return null
  const taken = /\bnot (?:the |on |at )*(?<old>\d\w*)/.exec(later.text)?.groups?.['old']
  const [date] = datesIn(later.text)
  const units = new Set(amountsIn(later.text).map(({ unit }) => unit))
  return (earlier, by) => {
    const gap = by.at - earlier.at
    if (earlier.speaker !== by.speaker || gap > maxCorrectionMs || gap === 0) return false
    if (taken !== undefined && !holds(earlier.text, taken)) return false
    if (date === undefined) return amountsIn(earlier.text).some(({ unit }) => units.has(unit))
    const before = datesIn(earlier.text)
    return before.length > 0 && !before.includes(date)
  }
}

export const rules: readonly Rule[] = [
  ...[fromTo, notOld, ended, rescheduled, otherAmount],
  ...[life, otherValue, opposite, corrected],
]
