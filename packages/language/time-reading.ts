/**
 * The reading of an expression of time by the words around it: whether its clause is about the past or the future, and whether it is a date at
 * all. `Every Monday` and `Friday deploys` are habits, a birthday has no year, and `bins go out Wednesday` and
 * `we use RabbitMQ today` may be either, so they are unclear.
 */
import type { TimeDirection } from './relative-times.ts'

export type Reading = 'date' | 'habit' | 'yearly' | 'unclear'

export interface TimePlace {
  readonly text: string
  readonly index: number
  readonly length: number
}

/** Only this many characters around an expression are read. */
const maxSentenceChars = 400
const sentenceEnd = /[.!?;:\n]/
const clauseEnd = /,|\s[-–—]\s|\b(?:and|but|so|because|when|while|which|who)\b/

const futureCue =
  /\b(?:will|'ll|won't|going to|gonna|plan(?:s|ning)?|hop(?:e|ing)|upcoming|tomorrow|forward|want to|next|coming|excited|soon|can't wait|have an?|has an?|invited|let's|scheduled|due|(?:i'm|am|is|are|'re) (?:not )?[a-z]+ing|starts?|begins?|leaves|arrives|ends|opens|closes|takes place|joins|expires|i need to|have to|has to|must)\b/i
const pastCue =
  /\b(?:was|were|did|didn't|had|went|got|took|made|saw|came|bought|found|met|gave|won|lost|told|ran|felt|left|started|taught|read|spent|sold|sat|wrote|built|broke|drove|flew|fell|kept|knew|paid|sang|slept|spoke|swam|thought|threw|wore|became|began|chose|caught|grew|heard|held|sent|stood|moved|joined|[a-z]{2,}ed|last|ago|since|just)\b/i
const wasThen = /\b(?:was|were|went|did|had)\b/i
/** Words before a date that is to come: `moved to 28 April`, `closed from 22 December`. */
const changedTo =
  /\b(?:moved|pushed|postponed|rescheduled|shifted|delayed|changed|brought forward|put (?:back|off)|booked|scheduled|planned|set|fixed|arranged|due|closed?|closes|open|valid|expires?|until|till)\b[^.!?;]*\b(?:to|until|till|from|for|on|in|by)\s+(?:the\s+)?$/i
const bookedFor = /\b(?:booked|scheduled|planned|due|set)\s+(?:(?:for|on|in|by)\s+)?(?:the\s+)?$/i
const isOn = /\b(?:is|are|it's|that's) (?:now )?(?:on |in |at |for |until |due |from )?(?:the )?$/i

/** The tense of the clause around an expression, or of its sentence if the clause has no cue. */
export function directionAt({ text, index }: TimePlace): TimeDirection {
  const from = Math.max(0, index - maxSentenceChars)
  const before = text.slice(from, index).split(sentenceEnd).at(-1) ?? ''
  const after = text.slice(index, index + maxSentenceChars).split(sentenceEnd)[0] ?? ''
  if (changedTo.test(before) || bookedFor.test(before) || isOn.test(before)) return 'future'
  const clause = `${before.split(clauseEnd).at(-1) ?? ''}${after.split(clauseEnd)[0] ?? ''}`
  const nearer = tenseOf(clause)
  return nearer === 'open' ? tenseOf(before + after) : nearer
}

function tenseOf(words: string): TimeDirection {
  if (futureCue.test(words) && !wasThen.test(words)) return 'future'
  return pastCue.test(words) ? 'past' : 'open'
}

const weekday = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day(?: (?:morning|afternoon|evening|night))?$/i
const repeated = /\b(?:every|each|any|most|alternate|other|some)\s+(?:other\s+|second\s+|single\s+)?$/i
const habitual =
  /\b(?:usually|always|often|normally|typically|generally|regularly|sometimes|rarely|never|weekly|every)\b/i
/** `Friday deploys`, `Monday mornings` */
const pluralAfter = /^ (?!is\b|was\b|as\b|has\b|this\b)[a-z]{3,}s\b/
/** `the Friday meeting` */
const nounAfter =
  /^ (?!and|or|but|at|in|with|to|for|because|so|we|i|it|he|she|they|you|my|our|the|a|an|after|before|when|while|which|where|by|from|near|instead|too|as|then|if|until|till|morning|afternoon|evening|night|is|was|will|has|had|on|of|about|around|via|over|not|this|that|next|last|again|already|only|also)[a-z]+/
const introduced = /\b(?:on|by|until|till|from|since|before|after|last|next|this|for|of|to|past|coming)\s+$/i
const anniversary = /\b(?:birthdays?|b-?day|anniversary|name ?day|annual(?:ly)?|yearly|every year|each year)\b/i
const yearInside = /\b(?:19|20)\d\d\b/

export function readingAt(place: TimePlace): Reading {
  const { text, index, length } = place
  const said = text.slice(index, index + length)
  const before =
    text
      .slice(Math.max(0, index - maxSentenceChars), index)
      .split(sentenceEnd)
      .at(-1) ?? ''
  const after = text.slice(index + length, index + length + maxSentenceChars).split(sentenceEnd)[0] ?? ''
  if (repeated.test(before)) return 'habit'
  if (/\d/.test(said) && !yearInside.test(said) && anniversary.test(before + after)) return 'yearly'
  if (/^today$/i.test(said)) return directionAt(place) === 'open' ? 'unclear' : 'date'
  if (!weekday.test(said)) return 'date'
  if (pluralAfter.test(after) || habitual.test(before + after)) return 'habit'
  if (nounAfter.test(after) && !introduced.test(before)) return 'unclear'
  return directionAt(place) === 'open' ? 'unclear' : 'date'
}
