/**
 * The time at the end of a sentence, apart from it: `Ann lives in Porto, since 7 May 2023.` is `2023-05-07..` and `Ann
 * lives in Porto.` The cells have the forms in which a model tells the time of a fact, so rows are shorter and read
 * alike.
 */
import { monthNames } from './calendar.ts'

export interface TimedSentence {
  /**
   * 2023-05-07 (on that day), 2023-05.. (from then on), ..2023 (up to then), 2023-05-07..2023-05-09; a minute is
   * 2023-05-07T14:30.
   */
  readonly time: string
  readonly sentence: string
}

const date = String.raw`(?:\d{1,2} )?(?:(?:${monthNames.join('|')}) )?(?:19|20)\d\d(?:, \d\d:\d\d)?`
const isoDate = String.raw`(?:19|20)\d\d(?:-\d\d(?:-\d\d(?: \d\d:\d\d)?)?)?`
const forms = [
  { pattern: new RegExp(`,? from (${date}) to (${date})[.]$`), cell: (from: string, to: string) => `${from}..${to}` },
  { pattern: new RegExp(`,? from (${date}) on[.]$`), cell: (from: string) => `${from}..` },
  { pattern: new RegExp(`,? since (${date})[.]$`), cell: (from: string) => `${from}..` },
  { pattern: new RegExp(`,? (?:until|by) (${date})[.]$`), cell: (to: string) => `..${to}` },
  { pattern: new RegExp(`,? (?:on|in) (${date})[.]$`), cell: (at: string) => at },
  // In another language than English.
  {
    pattern: new RegExp(` \\((${isoDate}) – (${isoDate})\\)[.]$`),
    cell: (from: string, to: string) => `${from}..${to}`,
  },
  { pattern: new RegExp(` \\((${isoDate}) –\\)[.]$`), cell: (from: string) => `${from}..` },
  { pattern: new RegExp(` \\(– (${isoDate})\\)[.]$`), cell: (to: string) => `..${to}` },
  { pattern: new RegExp(` \\((${isoDate})\\)[.]$`), cell: (at: string) => at },
]
/** The longest ending that is read. */
const maxEnding = 80
/** The time completes such a sentence. */
const needsTime = /\b(?:is|are|was|were|be|been|due|scheduled|dated)$/i

/** Null: the sentence doesn't end with a time, or says nothing without it. */
export function closingTime(text: string): TimedSentence | null {
  const ending = text.slice(-maxEnding)
  for (const { pattern, cell } of forms) {
    const found = pattern.exec(ending)
    if (found === null) continue
    const [first = '', second = ''] = found.slice(1)
    const rest = text.slice(0, text.length - ending.length + found.index)
    if (rest === '' || needsTime.test(rest)) return null
    return { time: cell(isoOf(first), isoOf(second)), sentence: `${rest}.` }
  }
  return null
}

/** The year that most times have; empty: there is none. */
export function commonYear(times: readonly string[]): string {
  const years = Map.groupBy(
    times.flatMap((time) => time.match(/\b\d{4}(?=-)/g) ?? []),
    (year) => year,
  )
  return [...years].toSorted(([a, of], [b, others]) => others.length - of.length || (a < b ? -1 : 1))[0]?.[0] ?? ''
}

/** `2023-05-07..` is `05-07..`; a year without a month stays. */
export function withoutYear(time: string, year: string): string {
  return year === '' ? time : time.replaceAll(new RegExp(`\\b${year}-`, 'g'), '')
}

function isoOf(prose: string): string {
  if (/^\d{4}-/.test(prose)) return prose.replace(' ', 'T')
  const [words = '', clock] = prose.split(', ')
  const [year = '', month, day] = words.split(' ').toReversed()
  const number = month === undefined ? 0 : monthNames.indexOf(month) + 1
  const parts = [
    year,
    ...(number > 0 ? [twoDigits(number)] : []),
    ...(day === undefined ? [] : [twoDigits(Number(day))]),
  ]
  return parts.join('-') + (clock === undefined ? '' : `T${clock}`)
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
