/**
 * Relative expressions of time: yesterday, last week, two years ago, on Friday. Each rule is a pattern and its span,
 * counted from the time of the utterance, in UTC, never from today.
 */
import {
  day,
  dayMs,
  longDate,
  month,
  monthNames,
  roughly,
  type Span,
  season,
  week,
  weekdayNames,
  weekend,
  year,
} from './calendar.ts'
import { isReport, type TimeDirection } from './time-reading.ts'

export interface TimeRule {
  readonly pattern: RegExp
  readonly span: (match: RegExpMatchArray, at: number, direction: TimeDirection) => Span | null
}

const numbers: { readonly [word: string]: number } = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  couple: 2,
  few: 3,
  several: 4,
}
const count = String.raw`(?<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|(?:a )?couple(?: of)?|(?:a )?few|several)`
const unit = '(?<unit>day|week|weekend|month|year|decade)s?'
const weekday = '(?<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)'
const shortWeekday = '(?<weekday>mon|tues?|wed|thurs?|fri|sat|sun)'
const monthName = `(?<month>${monthNames.join('|').toLowerCase()})`
const seasonName = '(?<season>spring|summer|fall|autumn|winter)'
const which = '(?<which>last|past|next|this past|this coming|this|the coming|the past|the last|the next)'
const partOfDay = '(?: (?:morning|afternoon|evening|night))?'

const groups = (match: RegExpMatchArray) => match.groups as { readonly [name: string]: string }
const yearOf = (at: number) => new Date(at).getUTCFullYear()
const monthOf = (at: number) => new Date(at).getUTCMonth()

export const relativeTimes: readonly TimeRule[] = [
  rule('the day before yesterday', (_, at) => day(at - 2 * dayMs)),
  rule('the day after tomorrow', (_, at) => day(at + 2 * dayMs)),
  rule(`yesterday${partOfDay}`, (_, at) => day(at - dayMs)),
  rule('last night', (_, at) => day(at - dayMs)),
  rule(`tomorrow${partOfDay}`, (_, at) => day(at + dayMs)),
  rule('(?:earlier |later )?today|tonight|this (?:very )?(?:morning|afternoon|evening)', (_, at) => day(at)),
  rule(`(?:about |around |almost |over |nearly )?${count} (?:short |long )?${unit} (?:ago|back)`, (match, at) =>
    counted(match, at, -1),
  ),
  rule(`in (?:about |around )?${count} (?:short |long )?${unit}(?:'s? time)?(?! of)`, (match, at, direction) =>
    direction === 'past' ? null : counted(match, at, 1),
  ),
  rule(`${count} ${unit} from now`, (match, at) => counted(match, at, 1)),
  rule('the (?<unit>week|weekend|month|year) before last', (match, at) =>
    spanAfterSteps(groups(match)['unit'], at, -2),
  ),
  rule('the (?<unit>week|weekend) before', (match, at) => spanAfterSteps(groups(match)['unit'], at, -1), '(?! [a-z])'),
  rule(`(?:earlier |later )?${which} (?<unit>week|weekend|month|year)`, chosenUnit),
  rule(
    `(?:over|on|during) the (?<unit>weekend)`,
    (_, at, direction) => weekend(direction === 'past' ? at - 7 * dayMs : at),
    '(?! (?:of|before|after))',
  ),
  rule(`${which} ${weekday}${partOfDay}`, chosenWeekday),
  rule(`${which} ${shortWeekday}`, chosenWeekday, '(?:\\.(?= [a-z]))?'),
  rule(
    `${weekday}${partOfDay}`,
    (match, at, direction) => nextOrLast(match, at, direction === 'past' ? -1 : 1),
    "(?!s|'s| of| the | \\d)",
  ),
  rule(`(?:${which} |the )?${seasonName}(?: of)? (?<year>(?:19|20)\\d\\d)`, (match) =>
    season(Number(groups(match)['year']), seasonOf(match)),
  ),
  rule(`${which} ${seasonName}`, chosenSeason),
  rule(`${which} ${monthName}`, chosenMonth),
  rule(
    '(?<=\\b(?:in|since|until|till|by|during|of|from|to|after|before|around|late|early|year)\\s)(?<year>(?:19|20)\\d\\d)',
    (match) => year(Number(groups(match)['year'])),
    '(?![\\d%,]|\\s(?:people|dollars|bucks|miles|steps))',
  ),
]

function rule(pattern: string, span: TimeRule['span'], end = ''): TimeRule {
  return { pattern: new RegExp(String.raw`\b(?:${pattern})\b${end}`, 'gi'), span }
}

function direction(match: RegExpMatchArray): -1 | 0 | 1 {
  const chosen = groups(match)['which']?.toLowerCase() ?? ''
  if (/last|past/.test(chosen)) return -1
  return /next|coming/.test(chosen) ? 1 : 0
}

/** `I sailed this summer`: a span that has begun, and not the next one. */
function hasBegun(match: RegExpMatchArray): boolean {
  return isReport({ text: match.input ?? '', index: match.index ?? 0, length: match[0].length })
}

function chosenUnit(match: RegExpMatchArray, at: number): Span | null {
  const steps = direction(match)
  const chosen = spanAfterSteps(groups(match)['unit'], at, steps)
  const isEarlier = steps === 0 && chosen !== null && chosen.from > at && hasBegun(match)
  return isEarlier ? spanAfterSteps(groups(match)['unit'], at, -1) : chosen
}

function spanAfterSteps(unit: string | undefined, at: number, steps: number): Span | null {
  switch (unit?.toLowerCase()) {
    case 'day':
      return day(at + steps * dayMs)
    case 'week':
      return week(at + 7 * steps * dayMs)
    case 'weekend':
      // On a Sunday, `last weekend` is the one of the week before; on a Monday, the one of two days before.
      return weekend(at + 7 * steps * dayMs)
    case 'month':
      return month(yearOf(at), monthOf(at) + steps)
    case 'year':
      return year(yearOf(at) + steps)
    default:
      return null
  }
}

/** `Two weeks ago` and `in three days`; vague counts give a span around the middle. */
function counted(match: RegExpMatchArray, at: number, sign: -1 | 1): Span | null {
  const { count = '', unit = '' } = groups(match)
  const bare = count
    .toLowerCase()
    .replace(/^a (?=couple|few)/, '')
    .replace(/ of$/, '')
  const amount = /^\d/.test(bare) ? Number(bare) : numbers[bare]
  if (amount === undefined) return null
  const decades = unit.toLowerCase() === 'decade'
  const steps = sign * amount * (decades ? 10 : 1)
  if (bare !== 'few' && bare !== 'several') return spanAfterSteps(decades ? 'year' : unit, at, steps)
  const nearer = spanAfterSteps(decades ? 'year' : unit, at, steps - sign)
  const further = spanAfterSteps(decades ? 'year' : unit, at, steps + 2 * sign)
  if (!nearer || !further) return null
  const side = sign < 0 ? 'before' : 'after'
  return roughly(
    Math.min(nearer.from, further.from),
    Math.max(nearer.to, further.to),
    `a few ${unit.toLowerCase()}s ${side} ${longDate(at)}`,
  )
}

/** `This Friday` may be the day itself. */
function chosenWeekday(match: RegExpMatchArray, at: number): Span {
  const way = direction(match)
  if (way !== 0) return nextOrLast(match, at, way)
  return hasBegun(match) ? nextOrLast(match, at + dayMs, -1) : nextOrLast(match, at - dayMs, 1)
}

/** The nearest such weekday strictly before or after. */
function nextOrLast(match: RegExpMatchArray, at: number, way: -1 | 1): Span {
  const wanted = weekdayNames.findIndex((name) =>
    name.toLowerCase().startsWith(groups(match)['weekday']?.toLowerCase() ?? '-'),
  )
  const today = new Date(at).getUTCDay()
  if (way < 0) return day(at - (((today - wanted + 6) % 7) + 1) * dayMs)
  return day(at + (((wanted - today + 6) % 7) + 1) * dayMs)
}

function seasonOf(match: RegExpMatchArray): 'spring' | 'summer' | 'autumn' | 'winter' {
  const name = groups(match)['season']?.toLowerCase()
  return name === 'spring' || name === 'summer' || name === 'winter' ? name : 'autumn'
}

function chosenSeason(match: RegExpMatchArray, at: number): Span {
  const name = seasonOf(match)
  return chosenOf((year) => season(year, name), match, at) ?? season(yearOf(at), name)
}

function chosenMonth(match: RegExpMatchArray, at: number): Span {
  const index = monthNames.findIndex((name) => name.toLowerCase() === groups(match)['month']?.toLowerCase())
  const own = month(yearOf(at), index)
  if (direction(match) === 0 && !hasBegun(match)) return own
  return chosenOf((year) => month(year, index), match, at) ?? own
}

/**
 * The chosen one of the spans that come once a year. Two years back, since in January the last winter but one is the
 * last that is over.
 */
function chosenOf(inYear: (year: number) => Span, match: RegExpMatchArray, at: number): Span | undefined {
  const near = [-2, -1, 0, 1].map((step) => inYear(yearOf(at) + step))
  const way = direction(match)
  if (way < 0) return near.findLast((span) => span.to <= at)
  if (way > 0) return near.find((span) => span.from > at)
  return hasBegun(match) ? near.findLast((span) => span.from <= at) : near.find((span) => span.to > at)
}
