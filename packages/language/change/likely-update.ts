/**
 * Whether a clause may update an earlier one. Too unsure to mark the earlier one as outdated; sure enough to order two
 * results of one question, since a wrong order costs little.
 */
import type { Clause } from './clause.ts'
import { stillHoldsPattern } from './cues.ts'
import { isNewerValue } from './other-value.ts'
import { areTwoOfOneKind, areTwoPersons, type EarlierClause, type MessageOrigin, sharedThings } from './rule.ts'

/**
 * `value`: both give one subject a value, and the values differ. `news`: the later clause has words of change, and both
 * share a thing.
 */
export type LikelyUpdate = 'value' | 'news'

/** Words of a state that begins, ends or replaces another. */
const news = new RegExp(
  `\\b(?:${[
    'now|nowadays|these days|lately|from (?:now|today|tomorrow)|since|until further notice|back|only .{2,20} left',
    'instead|after all|in the end|ended up|turn(?:s|ed) out|no longer|any ?more|no more|bec[ao]mes?',
    'renam\\w+|replac\\w+|switch\\w+|swap\\w+|mov(?:ed|es)|migrat\\w+|changed?|flipped|upgrad\\w+|downgrad\\w+',
    'lower\\w+|rais\\w+|extend\\w+|lift\\w+|halved|doubled|reduc\\w+|(?:went|came|is) (?:up|down)|down to|up to',
    'postpon\\w+|delay\\w+|slip\\w+|reschedul\\w+|pushed|approved|merged|rejected|unlocked',
    'took over|takes over|given up|gave up|left|quit|(?:is|are|was|got) called|called (?:[\\w ]{2,20} )?off|cancell?ed|scrapped|fell (?:through|apart)|clash\\w*|sold|threw in',
  ].join('|')})\\b`,
)
/** A report of how something was. */
const past =
  /(?<!since )\blast (?:time|week|month|year|night|summer|winter)(?:'s)?\b|\b(?:used to|back then|as a child|in those days)\b|^(?:yesterday|today) .*\b(?:was|were|had)\b/
const imagined = /\b(?:suppose|imagine|if|would|could|might|maybe|perhaps)\b/

/** States of a person or a project, as said before, and the words by which a later statement ends them. */
const endedStates: readonly (readonly [before: RegExp, after: RegExp])[] = [
  [/\b(?:lives?|living|home|based|stays?)\b/, /\b(?:mov(?:ed|es|ing)|relocat\w+)\b/],
  [
    /\b(?:works?|working|runs?|leads?|manag\w+|owns?|heads?|responsible|in charge|chair|deputy|contact|joined|t(?:ook|akes) over)\b/,
    /\b(?:left|quit|retired|resigned|stepped down|declined|joined|t(?:ook|akes) over|hand\w+ over)\b/,
  ],
  [
    /\b(?:single|dating|engaged|married|partner|girlfriend|boyfriend|wife|husband)\b/,
    /\b(?:engaged|married|split up|broke up|divorced)\b/,
  ],
  [/\b(?:plays?|stud(?:y|ies)|learns?|reads?|uses?|drinks?)\b/, /\b(?:switched to|gave up|given up|took up)\b/],
  [
    /\b(?:pending|waiting|running|planned|in (?:review|progress|development))\b/,
    /\b(?:merged|rejected|approved|done|finished)\b/,
  ],
  [/\b(?:has|have|drives?|rides?|owns?)\b/, /\b(?:sold|swapped|traded|gave away)\b/],
]
const generic = /^(?:be|have|get|go|do|make|take|say|tell|call)?$/

/** Null: no sign of an update. */
export function likelyUpdate(later: Clause, earlier: EarlierClause, by: MessageOrigin): LikelyUpdate | null {
  if (stillHoldsPattern.test(later.text) || past.test(later.text) || imagined.test(later.text)) return null
  if (areTwoOfOneKind(later, by, earlier) || areTwoPersons(later, by, earlier)) return null
  if (isNewerValue(later, earlier, by)) return 'value'
  const shared = sharedThings(later, earlier)
  if (shared.length === 0) return null
  const isOfName = shared.every((thing) => isName(thing, later, earlier))
  if (isOfName && endedStates.some(([before, after]) => before.test(earlier.text) && after.test(later.text)))
    return 'news'
  if (!news.test(later.sentence)) return null
  return isOfName && !saySameOf(shared, later, earlier) ? null : 'news'
}

/** Whether a shared thing is a name in both clauses: the tagger takes the first word of some sentences for a name. */
function isName(thing: string, later: Clause, earlier: Clause): boolean {
  return later.names.has(thing) && earlier.names.has(thing)
}

/** Whether clauses that share only names say the same of one: `Rosa's doctor is Dr Amin` and `Rosa called the plumber` don't. */
function saySameOf(names: readonly string[], later: Clause, earlier: Clause): boolean {
  const isModifier = (name: string, { modifiers }: Clause) => [...modifiers.values()].some((own) => own.has(name))
  const heads = names.filter((name) => !isModifier(name, later) && !isModifier(name, earlier))
  if (heads.length === 0) return false
  const further = ({ things }: Clause) => [...things].some((thing) => !names.includes(thing))
  if (!further(later) || !further(earlier)) return true
  const isOneVerb = later.verb === earlier.verb && !generic.test(later.verb)
  return isOneVerb || (later.complement !== null && later.complement.form === earlier.complement?.form)
}
