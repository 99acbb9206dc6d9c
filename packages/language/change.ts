/**
 * Whether a later message changes an earlier one: another value of the same thing, a switch from one thing to another, a new date, an end, a
 * correction. By rules, in English, and cautious: the two must share the thing, and the later one must say that it changes. The later
 * utterance wins, regardless of the dates in both. A missed change leaves both as they are; a false one would hide the truth.
 */
import { amountsIn, datesIn, hasTime, normalized } from './change/values.ts'
import { isDoubtfulClause, isDoubtfulSentence } from './restate/certainty.ts'
import { prose } from './restate/prose.ts'
import { terms } from './terms.ts'

/** A message as it is compared. Reading costs more than comparing, so a message is read once. */
export interface ReadMessage {
  /** Sentences that say that something changes, without doubt. */
  readonly changing: readonly Sentence[]
  /** Sentences that may be changed. */
  readonly stated: readonly Sentence[]
}

export interface Message {
  readonly speaker: string
  /** In ms since the epoch. */
  readonly at: number
  readonly read: ReadMessage
}

interface Sentence {
  /** Normalized. */
  readonly text: string
  readonly stems: ReadonlySet<string>
}

type Earlier = Sentence & Pick<Message, 'speaker' | 'at'>

const changeWord =
  /\b(?:switch|chang|mov|migrat|rais|lower|reduc|increas|decreas|turn|drop|ris|rose|upgrad|downgrad|bump|renam|shift|swap|postpon|reschedul|delay|push|cancel|replac|instead|rather than|no longer|any ?more|any longer|stop|quit|gave up|called off|fell through|now|sorry|correction|oops|wait|actually|meant|mean|again|after all|not|new|went|goes|go|from|is at|are at|fixed|works|off|settled|relocat|retired)/

export function readMessage(text: string): ReadMessage {
  const certain = sentencesOf(text).filter((sentence) => !/\?\s*$/.test(sentence) && !isDoubtfulSentence(sentence))
  const changing = certain
    .filter((sentence) => !isDoubtfulClause(sentence) && !/\bcan\b/.test(sentence))
    .map(readSentence)
  return { changing: changing.filter((sentence) => changeWord.test(sentence.text)), stated: certain.map(readSentence) }
}

/** Whether `later` changes a statement of `earlier`. */
export function changes(later: Message, earlier: Message): boolean {
  if (earlier.at > later.at) return false
  return earlier.read.stated.some((stated) => {
    const before = { ...stated, speaker: earlier.speaker, at: earlier.at }
    return later.read.changing.some((sentence) => {
      const applicable = share(sentence.stems, before) ? rules : earlier.speaker === later.speaker ? ownRules : []
      return applicable.some((rule) => rule(sentence, before, later))
    })
  })
}

function sentencesOf(text: string): readonly string[] {
  return prose(text)
    .split(/(?<=[.!?])\s+|\n+|;\s/)
    .map((sentence) => sentence.replace(condition, ''))
    .filter((sentence) => sentence.trim() !== '')
}

/** `…, dark only if you ask`: a condition after the statement. */
const condition = /(?<=\w \w.*), (?:\w+ )?(?:only )?(?:if|unless)\b.*$/i

function readSentence(sentence: string): Sentence {
  const text = normalized(sentence)
  return { text, stems: new Set(stemsOf(text)) }
}

/** Words of change say that something changed, not what. */
const idle = new Set(
  'from switch chang move went raise lower reduc increas decreas turn drop postpon reschedul delai cancel replac instead longer anymor stop sorri correct actual meant mean again new fix settl time thing today week month year dai'.split(
    ' ',
  ),
)

function stemsOf(text: string): readonly string[] {
  return terms(text).filter((stem) => stem.length > 1 && !/^\d/.test(stem) && !idle.has(stem))
}

/** Whether the words share content words, at least `least` of them. */
function share(words: Iterable<string>, earlier: Sentence, least = 1): boolean {
  return [...words].filter((stem) => earlier.stems.has(stem)).length >= least
}

/** Whether all content words of the phrase are in the earlier sentence, and there is one. */
function within(phrase: string, earlier: Sentence): boolean {
  const stems = stemsOf(phrase)
  return stems.length > 0 && stems.every((stem) => earlier.stems.has(stem))
}

function holds(text: string, phrase: string): boolean {
  const at = text.indexOf(phrase)
  return at >= 0 && !/[\w.]/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + phrase.length))
}

const denied = /\b(?:not|no|never|no longer|any ?more|cancelled|canceled|stopped)\b|n't\b/
const uses =
  /\b(?:us(?:e|es|ing)|run(?:s|ning)? on|play(?:ed|s)? with|work(?:s|ing)? (?:with|at|for|in|on)|liv(?:e|es|ing) (?:in|at)|is|are|have|has|on)\b/

type Rule = (later: Sentence, earlier: Earlier, by: Message) => boolean

/** `the budget went from 80k to 65k`, `we switched from RabbitMQ to SQS` */
const fromTo: Rule = (later, earlier) => {
  const found =
    /\b(?:switch|chang|mov|went|goes?|gone|migrat|rais|lower|reduc|cut|increas|decreas|turn|drop|rose|ris|upgrad|downgrad|bump|shift|swap|postpon|reschedul)\w*\b(?<thing>[^.;]{0,60}?)\bfrom (?<old>[^,.;]{1,30}?) to (?<value>[\w£$€%.-]+)/.exec(
      later.text,
    )?.groups
  const old = found?.['old']?.replace(/^(?:the|a|an) /, '')
  if (old === undefined || !holds(earlier.text, old) || holds(earlier.text, found?.['value'] ?? '')) return false
  const own = new Set(stemsOf(old))
  const others = [...later.stems].filter((stem) => !own.has(stem))
  return share(others, earlier) || (own.size > 0 && uses.test(earlier.text) && !denied.test(earlier.text))
}

/** `the 16th, not the 14th`, `at their office now, not on Zoom`, `the office instead of the small room` */
const notOld: Rule = (later, earlier) => {
  const place = /\bnow,? not (?<old>(?:on|at|in|with) \w+)/.exec(later.text)?.groups?.['old']
  if (place !== undefined && holds(earlier.text, place)) return true
  const pattern =
    /(?<how>\binstead of|\brather than|[ ,]not) (?:the |a |an |on |at |in |by |with |my |from )*(?<old>[\w£$€%.-]+(?: [\w-]+)?)/g
  return [...later.text.matchAll(pattern)].some(({ groups }) => {
    const first = groups?.['old']?.split(' ')[0]?.replace(/\.$/, '') ?? ''
    if (!holds(earlier.text, first) || terms(first).length === 0) return false
    const own = new Set(terms(groups?.['old'] ?? ''))
    const sharesMore = share(
      [...later.stems].filter((stem) => !own.has(stem)),
      earlier,
    )
    const isValue = /^[\d£$€]/.test(first)
    return sharesMore && (isValue || groups?.['how'] !== ' not' || /\bnow\b/.test(later.text))
  })
}

/** `I'm no longer a vegetarian`, `the kickoff is cancelled`, `the job fell through` */
const ended: Rule = (later, earlier, by) => {
  if (earlier.text.split(',').every((clause) => denied.test(clause))) return false
  const isOwn = earlier.speaker === by.speaker
  const act =
    /(?<!\b(?:n't|never|not|ever|won't|don't) (?:ever )?)\b(?:no longer|stopped|quit|gave up|given up) (?<what>[^,.;!]{2,40})/.exec(
      later.text,
    )?.groups?.['what'] ??
    /\bn[o']t (?<what>[^,.;!]{2,40}?) (?:any ?more|any longer)\b/.exec(later.text)?.groups?.['what']
  if (act !== undefined) return isOwn && within(act.replace(/\bfrom\b.*$/, ''), earlier)
  const thing =
    /(?<what>[^,.;!:]{2,50}?) (?:(?:is|are|was|were|has been|got) (?:cancelled|canceled|called off|scrapped|discontinued)|fell through)/.exec(
      later.text,
    )?.groups?.['what'] ??
    /^(?:the )?(?<what>\w+(?<!ing)) (?:is )?off\b(?! (?:the|of|to|on|in|at)\b)/.exec(later.text)?.groups?.['what']
  return thing !== undefined && within(thing.replace(/^.*\b(?:the|our|my)\b/, ''), earlier)
}

/** `Nordlicht postponed the pilot to 28 April`, `the exam is moved to the 27th`, `the hedge is now on the 16th` */
const rescheduled: Rule = (later, earlier) => {
  if (!hasTime(later.text) || !hasTime(earlier.text)) return false
  const act =
    /\b(?:mov|postpon|reschedul|push|shift|delay)\w*(?: back| forward)? (?:the |our |my |his |her )?(?<what>[^,.;]{2,40}?) (?:from|to|until|till|by)\b/.exec(
      later.text,
    )?.groups?.['what']
  const passive =
    /(?:^|[,:] ?)(?<what>[^,.;:]{2,50}?) (?:(?:is|was|are|were|has been|got|gets)? ?(?:moved|postponed|rescheduled|pushed|shifted|delayed|put back|brought forward) (?:back |forward )?(?:from|to|until|by)|(?:is|are) now (?:on|at|in))\b/.exec(
      later.text,
    )?.groups?.['what']
  return [passive, act].some((what) => what !== undefined && within(what, earlier))
}

const newly =
  /\b(?:now|new|raised?|lower(?:ed)?|reduced|increased|cut|(?:goes|went|gone) (?:up|down)|up to|down to|settled|instead|from (?:now|next|january|february|march|april|may|june|july|august|september|october|november|december)|is at|are at|hired|left)\b/
const moneyOnly = /^(?:money|%)$/

/** Another amount of the same thing: `three employees now`, `the fee: 0.35 % now`, `API is at 17 endpoints` */
const otherAmount: Rule = (later, earlier) => {
  if (!newly.test(later.text) || denied.test(earlier.text)) return false
  return amountsIn(later.text).some(({ number, unit }) => {
    if (unit === '') return false
    const before = amountsIn(earlier.text).filter((each) => each.unit === unit)
    if (before.length === 0 || before.some((each) => each.number === number)) return false
    const own = new Set(moneyOnly.test(unit) ? [...terms('pounds euros dollars quid')] : terms(unit))
    return share(
      [...later.stems].filter((stem) => !own.has(stem)),
      earlier,
    )
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
const life: Rule = (later, earlier, by) => {
  if (earlier.speaker !== by.speaker || earlier.at === by.at) return false
  return (moved.test(later.text) && home.test(earlier.text)) || (newJob.test(later.text) && job.test(earlier.text))
}

/** `I changed the wifi password`, `my gym is on Mondays now`, `the contact is Lukas from now on` */
const otherValue: Rule = (later, earlier) => {
  const changed = /\b(?:changed|reset|replaced) (?:the|my|our|his|her) (?<what>[^,.;:]{2,40})/.exec(later.text)
    ?.groups?.['what']
  if (changed !== undefined) return within(changed, earlier) && hasValue(changed, earlier)
  const found =
    /(?:^|[,:] ?)(?:the |my |our |his |her )?(?<what>[\w' -]{2,40}?) (?:is|are) (?<value>[^,;]{2,50}?)(?: from now on|(?<!\bright|\bfor) now| again)\b/.exec(
      later.text,
    )?.groups
  if (!found?.['what'] || !within(found['what'], earlier) || !hasValue(found['what'], earlier)) return false
  return !within(found['value'] ?? '', earlier)
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
const opposite: Rule = (later, earlier) =>
  opposites.some((pair) =>
    [pair, pair.toReversed()].some(([one, other]) => {
      const before = one?.exec(earlier.text)?.groups?.['noun']
      return before !== undefined && before === other?.exec(later.text)?.groups?.['noun']
    }),
  )

/** Corrections follow at once. */
const maxCorrectionMs = 3 * 60_000
const correcting =
  /^(?:(?:oh|ah|no|oops|argh|wait),? )?(?:sorry|correction|oops|no wait|wait|i meant?|i misspoke|make that)\b|\bi meant\b/

/** `Sorry, the 16th` right after a message of the same speaker with another value of that kind */
const corrected: Rule = (later, earlier, by) => {
  if (earlier.speaker !== by.speaker || by.at - earlier.at > maxCorrectionMs || by.at === earlier.at) return false
  if (!correcting.test(later.text)) return false
  const taken = /\bnot (?:the |on |at )*(?<old>\d\w*)/.exec(later.text)?.groups?.['old']
  if (taken !== undefined && !holds(earlier.text, taken)) return false
  const [dates, before] = [datesIn(later.text), datesIn(earlier.text)]
  if (dates.length > 0) return before.length > 0 && !before.includes(dates[0] ?? '')
  const unitOf = (text: string) => new Set(amountsIn(text).map(({ unit }) => unit))
  return [...unitOf(later.text)].some((unit) => unitOf(earlier.text).has(unit))
}

/** Rules for two messages of one speaker that may share no word. */
const ownRules: readonly Rule[] = [life, corrected]
const rules: readonly Rule[] = [...ownRules, fromTo, notOld, ended, rescheduled, otherAmount, otherValue, opposite]
