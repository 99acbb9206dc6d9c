/**
 * Dates without a month or a year: `on the 14th`, `the end of April`. They mean the nearest date that fits the tense,
 * or the next one if the tense is open.
 */
import { day, dayMs, month, monthNames, type Span } from './calendar.ts'
import type { TimeRule } from './relative-times.ts'
import type { TimeDirection } from './time-reading.ts'

const partOf = '(?<part>beginning|start|middle|end)'
const monthName = `(?<month>${monthNames.join('|')})`

export const partialDates: readonly TimeRule[] = [
  {
    pattern: new RegExp(
      String.raw`\b(?:the )?(?:very )?${partOf} of ${monthName}(?:,? (?<year>(?:19|20)\d\d))?\b`,
      'gi',
    ),
    span: partOfMonth,
  },
  { pattern: /(?<=\b(?:end|beginning|start|middle) of )(?:the|this) month\b/gi, span: (_, at) => monthOf(at) },
  {
    // Not an ordinal of a noun: the 14th floor, the 2nd time.
    pattern:
      /(?<=\b(?:on|until|till|by|before|after|since|from|for) )the (?<number>[12]?\d|3[01])(?:st|nd|rd|th)\b(?=[.,!?;]|$| (?:and|but|at|in|with|to|for|because|so|we|i|it|after|before|when|while|which|where|by|from|near|instead|too)\b)/gi,
    span: (match, at, direction) => dayOfMonth(Number(match.groups?.['number']), at, direction),
  },
]

function monthOf(at: number): Span {
  return month(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth())
}

function partOfMonth(match: RegExpMatchArray, at: number, direction: TimeDirection): Span {
  const { part = '', month: monthOfYear = '', year } = match.groups ?? {}
  const index = monthNames.findIndex((each) => each.toLowerCase() === monthOfYear.toLowerCase())
  const whole = year === undefined ? nearest(index, at, direction) : month(Number(year), index)
  const third = 10 * dayMs
  const name = part.toLowerCase()
  const span = { display: `${name} of ${whole.display}`, prose: `the ${name} of ${whole.prose}` } as const
  if (name === 'end') return { ...span, from: whole.from + 2 * third, to: whole.to, preposition: 'at' }
  if (name === 'middle') return { ...span, from: whole.from + third, to: whole.from + 2 * third, preposition: 'in' }
  return { ...span, from: whole.from, to: whole.from + third, preposition: 'at' }
}

function nearest(index: number, at: number, direction: TimeDirection): Span {
  const year = new Date(at).getUTCFullYear()
  const near = [-1, 0, 1].map((step) => month(year + step, index))
  const fitting = direction === 'past' ? near.findLast((span) => span.from <= at) : near.find((span) => span.to > at)
  return fitting ?? month(year, index)
}

/** Null if no near month has such a day. */
function dayOfMonth(number: number, at: number, direction: TimeDirection): Span | null {
  const here = new Date(at)
  const days = [-2, -1, 0, 1, 2].flatMap((step) => {
    const from = Date.UTC(here.getUTCFullYear(), here.getUTCMonth() + step, number)
    return new Date(from).getUTCDate() === number ? [day(from)] : []
  })
  return (direction === 'past' ? days.findLast((span) => span.from <= at) : days.find((span) => span.to > at)) ?? null
}
