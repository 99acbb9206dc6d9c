/**
 * Signs in a sentence that it tells a change, or that it does not, in English, German and Spanish: words of change, words that set another thing or
 * time beside the first, and the content words that two sentences can share.
 */
import { isStopWord } from '../stop-words.ts'
import { stemOf } from '../words.ts'
import type { Clause } from './clause.ts'
import { isIdle } from './things.ts'

export interface Signs {
  readonly now: number
  readonly moved: number
  readonly ended: number
  readonly corrected: number
  /** Any word of change in the whole sentence. */
  readonly sentenceCue: number
  /** About another time: `last year`, `used to`. */
  readonly past: number
  /** About a further thing: `the other one`, `too`, `still`. */
  readonly parallel: number
  readonly tentative: number
  /** Somebody else's words. */
  readonly reported: number
  /** Begins with a pronoun, or has no subject. */
  readonly pronoun: number
  readonly content: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly designators: ReturnType<typeof designatorsIn>
  /** Whose: `my sister's`, `the competitor's`. */
  readonly owners: ReadonlySet<string>
}

const now =
  /(?<!\b(?:right|for|by|just|until|till|before|even) )\bnow\b|\b(?:from now on|these days|nowadays|lately|as of|until further notice|(?:starting|beginning) (?:in|on|from|next|with|today|tomorrow)|instead|after all|in the end|ended up|end up|end(?:s|ed) with|turn(?:s|ed)? out|no longer|any ?more|no more|already|new|since (?:the|this|last|yesterday|today|january|february|march|april|may|june|july|august|september|october|november|december|mon|tue|wed|thu|fri|sat|sun)\w*|from (?:today|tomorrow|next|the|january|february|march|april|may|june|july|august|september|october|november|december|mon|tue|wed|thu|fri|sat|sun)\w*|this time round|we're at|up to|down to|back to|has become|became|jetzt|nun|nunmehr|inzwischen|mittlerweile|nicht mehr|kein\w* mehr|doch|stattdessen|statt|sondern|seit (?:gestern|heute|letzt\w+|dieser|dem|der|montag|dienstag|mittwoch|donnerstag|freitag)|ab (?:jetzt|sofort|heute|morgen|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)|neue\w?|ahora|ya no|al final|desde (?:hoy|ayer|el|la|hace)|a partir de|en vez de|en lugar de|nuev[oa]s?)\b/

const moved =
  /\b(?:mov(?:e|es|ed|ing) (?!on\b)|chang(?:e|es|ed)|switch(?:ed|es)?|swap(?:ped|s)?|replac(?:e|es|ed)|renam(?:e|es|ed)|migrat(?:e|es|ed)|transferr?(?:s|ed)?|relocat(?:e|es|ed)|reassign(?:s|ed)?|hand(?:ed|ing|s)? (?:over|in)|took over|takes over|take over|rais(?:e|es|ed)|lower(?:s|ed)?|reduc(?:e|es|ed)|increas(?:e|es|ed)|decreas(?:e|es|ed)|cut (?:it|the|to|down|back)|got cut|dropp?(?:s|ed)? (?:it |the \w+ )?(?:to|from)|bump(?:s|ed)?|upgrad(?:e|es|ed)|downgrad(?:e|es|ed)|extend(?:s|ed)?|shorten(?:s|ed)?|scal(?:e|es|ed) (?:up|down|to|it)|went (?:up|down|to|with|back)|go(?:es|ing)? with|going for|gone with|came (?:up|down)|(?:is|are|'s) (?:up|down) (?:to|at)|doubled|halved|tripled|grew|shrank|rose|fell to|lifted|flipped|turned (?:on|off|it)|set (?:it |the \w+ )?to|updated|postpon(?:e|es|ed)|re-?schedul(?:e|es|ed)|re-?book(?:ed|s)?|push(?:ed|es)? (?:to|back|it|out)|got pushed|delay(?:ed|s)?|slip(?:s|ped)?|shift(?:ed|s)?|brought forward|put (?:back|off)|make (?:it|that)|made it|became|become|got (?:married|engaged)|joined|joining|elected|approved|merged|verschoben|verlegt|geändert|umbenannt|gezogen|umgezogen|gewechselt|erhöht|gesenkt|ersetzt|umgestellt|übernimmt|mudad[oa]|cambi(?:ado|ó|é|amos|a)|subid[oa]|bajad[oa]|pasa (?:al|a)|aplazad[oa]|movid[oa]|trasladad[oa])\b/

const ended =
  /\b(?:cancell?(?:ed|s)?|call(?:ed)? (?:\w+ ){0,3}off|(?:is|are|'s|am|'m|got) off\b|scrapped|discontinued|fell through|falls through|fell apart|bankrupt|bust|closed|shut|broke|died|dead|stepped down|steps down|resigned|retired|left|leaves|quit|quits|gave up|give up|given up|gave (?:it|him|her|them|away)|dropped|dropping|ditched|ripped out|got rid of|backed out|pulled out|(?:is|are|'s) out\b|sold|sold out|booked out|clash(?:es)?|(?:can't|cannot|won't) (?:make|do|come)|stopped|removed|deleted|withdr(?:ew|awn)|shelved|ran out|broke up|split up|separated|divorced|resolved|fixed|repaired|paid back|brought (?:\w+ ){0,3}back|rejected|declined|scratch|leave out|fällt aus|abgesagt|gekündigt|gestrichen|hat zu|cancelad[oa]|anulad[oa]|dej(?:o|é|ado))\b/

const corrected =
  /^\W*(?:(?:oh|ah|no|oops|argh|ok|hang on|wait|hm+|sorry|so),? )*(?:sorry|correction|corrected|oops|whoops|ups|no,? wait|wait|i meant?|i mean|i misspoke|make (?:that|it)|scratch that|not quite|typo|my mistake|my bad|i was wrong|strike that|rather|actually|perdón|quiero decir|quise decir|ich meine|ich meinte|moment|korrektur|sorry)\b|\b(?:i mean(?:t)?|mixed (?:it|them|that) up|my mistake|i got that wrong|misspoke|actually)\b|^\*\w/

const past =
  /\b(?:used to|last (?:year|month|week|time|night|mon\w*|tue\w*|wed\w*|thu\w*|fri\w*|sat\w*|sun\w*)|yesterday|back then|as a (?:child|kid|student)|in (?:19|20)\d\d|years? ago|ago|formerly|previously|old|ex|früher|damals|letzte[nrs]?|gestern|vorher|antes|ayer|pasad[oa])\b/
const parallel =
  /\b(?:other|another|different|also|both|either|neither|as well|still|stays?|remains?|unchanged|like before|as before|same|too|everybody|everyone|auch|ander\w+|beide|noch|también|otr[oa]s?|sigue)\b/
const tentative =
  /\b(?:can|could|would|might|may|maybe|perhaps|should|plan(?:s|ned|ning)? to|want(?:s|ed)?|hope|like to|looking at|consider\w*|thinking|almost|nearly|asked|goal|target|usually|sometimes|once|used to|said|says|claims?|dream\w*|würde|vielleicht|könnte|quizás|quiero)\b/

const reported = /\b(?:he|she|they|\w+) (?:claims?|claimed|says?|said|swears?|reckons?)\b|["“”]/

const pronounFirst =
  /^\W*(?:(?:and|but|so|ok|oh|well|yes|no|then|und|y|pero|aber),? )*(?:it|it's|they|he|she|that|this|we've \w+ (?:it|them)|we|es|er|sie|ella?)\b/

/** Words without content, in German and Spanish; `stopwords` has the English ones. */
const functionWords = new Set(
  `der die das den dem des ein eine einen einem einer ist sind war waren hat haben habe hatte wird werden wurde ich du er sie es wir ihr mein meine meinem meinen
   meiner meines mich mir uns unser und oder aber auch mit von zu zum zur im in am an auf für bei nach aus um ab doch nicht mehr jetzt noch schon als wie dass
   el la los las un una unos unas es son era está están he ha han hemos yo tú él ella nos mi mis su sus me te se lo le que de del al a en con por para y o pero
   ya no más muy como desde hasta ahora final`.split(/\s+/),
)
const timeWords = new Set(
  `uhr euro euros dollar dollars pound pounds percent prozent minute minutes hour hours day days week weeks month months year years woche wochen tag tage monat
   monate jahr jahre día días semana semanas mes meses año años january february march april may june july august september october november december januar februar
   märz mai juni juli oktober dezember monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays montag
   dienstag mittwoch donnerstag freitag samstag sonntag lunes martes miércoles jueves viernes sábado domingo kg cm gb am pm k`.split(
    /\s+/,
  ),
)
const word = /\p{L}[\p{L}\p{N}_'.@-]*[\p{L}\p{N}]|\p{L}/gu

export function signsOf({ text, sentence }: Pick<Clause, 'text' | 'sentence'>, original: string): Signs {
  const content = new Set<string>()
  const names = new Set<string>()
  for (const [token] of text.matchAll(word)) {
    const plain = token.replace(/'s$/, '')
    if (isEmpty(plain)) continue
    content.add(stemOf(plain))
  }
  for (const [, name = ''] of original.matchAll(vocative)) content.delete(stemOf(name.toLowerCase()))
  for (const [token, ...rest] of original.matchAll(word)) {
    const isName = /^\p{Lu}/u.test(token) || /\d|[_@]|\p{Ll}-\p{L}+-\d/u.test(token)
    const plain = token.replace(/'s$/, '').toLowerCase()
    if (rest.length === 0 && isName && content.has(stemOf(plain))) names.add(stemOf(plain))
  }
  const has = (form: RegExp, where = text) => Number(form.test(where))
  return {
    now: has(now),
    moved: has(moved),
    ended: has(ended),
    corrected: has(corrected, sentence),
    sentenceCue: Math.max(has(now, sentence), has(moved, sentence), has(ended, sentence)),
    past: has(past),
    parallel: has(parallel),
    tentative: has(tentative),
    reported: has(reported, sentence),
    pronoun: has(pronounFirst),
    content,
    names,
    owners: ownersIn(text),
    designators: designatorsIn(text),
  }
}

/** `Thanks, Caroline!`: who is spoken to is not what is spoken of. */
const vocative = /(?:^|, |[.!] )(\p{Lu}\p{L}+)(?=[,!.?]|$)/gu

function isEmpty(token: string): boolean {
  return isStopWord(token) || isIdle(token) || functionWords.has(token) || timeWords.has(token)
}

const owner =
  /\b(?:my|our|his|her|their|the|mein\w*|mi) (\w+)'s\b|\b(\w+)'s (?=\w)|\b(?:my|his|her|our|their) (sister|brother|mum|mom|mother|dad|father|husband|wife|son|daughter|cousin|aunt|uncle|friend|neighbou?rs?|colleague|parents|boss|ex|niece|nephew|flatmates?|partner|deputy)\b/g

function ownersIn(text: string): ReadonlySet<string> {
  return new Set(
    [...text.matchAll(owner)]
      .map(([, one, other, third]) => one ?? other ?? third ?? '')
      .filter((each) => !/^(?:it|that|he|she|what|let|there|who)$/.test(each)),
  )
}

const designator =
  /\b(\p{L}{2,}) ([a-z]|\d+)\b(?! (?:of|euros?|percent|%|gb|kg|cm|minutes|days|degrees))|\b([a-z]{2,})-(\d+)\b/giu

/** `room a`, `lx 22`, `api-31`: which of several things of one kind, by kind. */
function designatorsIn(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, noun, which, prefix, number] of text.matchAll(designator)) {
    const kind = noun ?? prefix ?? ''
    if (!notKind.test(kind)) found.set(kind, (found.get(kind) ?? new Set()).add(which ?? number ?? ''))
  }
  return found
}

const notKind =
  /^(?:at|is|to|of|in|on|by|for|the|and|or|from|with|about|than|are|was|be|as|has|have|had|a|i|us|an|um|am|el|los|las|de|es|only|all|some|over|under)$/
