/**
 * The reading of an expression of time by the words around it: whether its clause is about the past or the future, and
 * whether it is a date at all. `Every Monday` and `Friday deploys` are habits, a birthday has no year, and `bins go out
 * Wednesday` and `we use RabbitMQ today` may be either, so they are unclear.
 */

/** The tense of the sentence. It decides which Friday `on Friday` is; open counts as the future. */
export type TimeDirection = 'past' | 'future' | 'open'

export type TimeReading = 'date' | 'habit' | 'yearly' | 'unclear'

export interface TextSpan {
  readonly text: string
  readonly index: number
  readonly length: number
}

/** The most characters that are read before an expression, and after it. */
const maxSentenceChars = 400
const sentenceEnd = /[.!?;:\n]/
const clauseEnd = /,|\s[-–—]\s|\b(?:and|but|so|because|when|while|which|who)\b/

const futureCue =
  /\b(?:will|'ll|won't|going to|gonna|plan(?:s|ning)?|hop(?:e|ing)|upcoming|tomorrow|forward|want to|next|coming|excited|soon|can't wait|have an?|has an?|invited|let's|scheduled|due|(?:i'm|am|is|are|'re) (?:not )?[a-z]+ing|starts?|begins?|leaves|arrives|ends|opens|closes|takes place|joins|expires|i need to|have to|has to|must)\b/i
const pastCue =
  /\b(?:was|were|did|didn't|had|went|got|took|made|saw|came|bought|found|met|gave|won|lost|told|ran|felt|left|started|taught|read|spent|sold|sat|wrote|built|broke|drove|flew|fell|kept|knew|paid|sang|slept|spoke|swam|thought|threw|wore|became|began|chose|caught|grew|heard|held|sent|stood|moved|joined|ate|blew|brought|dealt|drank|dug|fled|forgot|fought|froze|hid|hung|lent|rang|rode|sank|shook|slid|sought|sprang|spun|struck|swept|swore|swung|tore|understood|wept|withdrew|woke|[a-z]{2,}ed|last|ago|since|just)\b/i
const wasThen = /\b(?:was|were|went|did|had)\b/i
/** Words before a date that is to come: `moved to 28 April`, `closed from 22 December`. */
const changedTo =
  /\b(?:moved|pushed|postponed|rescheduled|shifted|delayed|changed|brought forward|put (?:back|off)|booked|scheduled|planned|set|fixed|arranged|due|closed?|closes|open|valid|expires?|until|till)\b[^.!?;]*\b(?:to|until|till|from|for|on|in|by)\s+(?:the\s+)?$/i
/** Before a date that is to come: `slipped to 10 August`. In `slipped on 3 May` it is the day of the slip. */
const rescheduledTo =
  /\b(?:slipped|slid|extended|prolonged|renewed|deferred|adjourned|bumped|rolled|advanced|switched|swapped)\b[^.!?;]*\b(?:to|until|till)\s+(?:the\s+)?$/i
const bookedFor = /\b(?:booked|scheduled|planned|due|set)\s+(?:(?:for|on|in|by)\s+)?(?:the\s+)?$/i
const isOn = /\b(?:is|are|it's|that's) (?:now )?(?:on |in |at |for |until |due |from )?(?:the )?$/i

/** `the lorry comes at six from Monday` */
const beginning = /\bfrom\s+$/i

/** The tense of the clause around an expression, or of its sentence if the clause has no cue. */
export function directionAt({ text, index }: TextSpan): TimeDirection {
  const from = Math.max(0, index - maxSentenceChars)
  const before = text.slice(from, index).split(sentenceEnd).at(-1) ?? ''
  const after = text.slice(index, index + maxSentenceChars).split(sentenceEnd)[0] ?? ''
  if (changedTo.test(before) || rescheduledTo.test(before) || bookedFor.test(before) || isOn.test(before))
    return 'future'
  const clause = `${before.split(clauseEnd).at(-1) ?? ''}${after.split(clauseEnd)[0] ?? ''}`
  const nearer = tenseOf(clause)
  if (nearer !== 'open') return nearer
  return beginning.test(before) ? 'future' : tenseOf(before + after)
}

function tenseOf(words: string): TimeDirection {
  if (futureCue.test(words) && !wasThen.test(words)) return 'future'
  return pastCue.test(words) ? 'past' : 'open'
}

/**
 * Words beside a past form that is no report: `the pool is closed`, `we need`, `we decided to sail`, `tickets for` a
 * date.
 */
const noReport =
  /\b(?:am|is|are|be|do|does|can|could|should|would|may|might|must|need|needs|if|let|\w+n't|decided|agreed|promised|offered|asked|told|wanted|wished|hoped|planned|intended|meant|arranged|invited|supposed)\b|'(?:m|re|d|ll)\b|\b(?:he|she|it|that|there|who|what)'s\b|\b(?:for|by|until|till)\s+$/i
const denied = /\b(?:did|was|were|had|has|have)n't\b/gi

/** Whether the clause around an expression reports something as done; in doubt not. */
export function isReport(place: TextSpan): boolean {
  const { text, index, length } = place
  if (directionAt(place) !== 'past') return false
  const before =
    text
      .slice(Math.max(0, index - maxSentenceChars), index)
      .split(sentenceEnd)
      .at(-1) ?? ''
  const after = text.slice(index + length, index + length + maxSentenceChars).split(sentenceEnd)[0] ?? ''
  const clause = [before.split(clauseEnd).at(-1) ?? '', after.split(clauseEnd)[0] ?? '']
  return !clause.some((words) => noReport.test(words.replace(denied, 'did')))
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

/** `my original May 15, 2024 goal` */
const isAttribute = /\b(?:my|our|his|her|their|its|your|original|initial|old|new|first)\s+$/i
const monthInside = /[a-z]{3}/i

export function readingAt(place: TextSpan): TimeReading {
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
  if (isAttribute.test(before) && monthInside.test(said) && nounAfter.test(after)) return 'unclear'
  if (!weekday.test(said)) return 'date'
  if (pluralAfter.test(after) || habitual.test(before + after)) return 'habit'
  if (nounAfter.test(after) && !introduced.test(before)) return 'unclear'
  return directionAt(place) === 'open' ? 'unclear' : 'date'
}
