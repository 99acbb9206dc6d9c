/**
 * Whether a line can mean a date. It finds inventions, not slips in counting days: a line that says "last week" can
 * mean any day near it, and a day without a year is that of the year before or after it.
 */
import { dayMs, monthNames, month as monthOf, type Span, weekdayNames } from '@loomlog/language/calendar'
import { findTimes } from '@loomlog/language/times'
import type { FactKind } from '@loomlog/schemas/events'
import { datesOf, numbersOf, type ToldDate } from './text-values.ts'

export interface TimedLine {
  /** The time of its utterance. */
  readonly at: number
  readonly text: string
}

export type DateParts = Pick<ToldDate, 'year' | 'month' | 'day'>

/**
 * The first line, in English, that can mean the date. Any of the lines may name its year.
 * @param kind of its fact, if it is the fact's own time
 */
export function lineMeaning<L extends TimedLine>(
  date: DateParts,
  lines: readonly L[],
  kind: FactKind | null,
): L | undefined {
  const isYearTold = date.year !== null && lines.some(({ text }) => numbersOf(text).includes(date.year ?? 0))
  return lines.find((line) => canMean(date, line, { isYearTold, kind }))
}

interface YearReading {
  readonly isYearTold: boolean
  readonly kind: FactKind | null
}

function canMean(date: DateParts, line: TimedLine, reading: YearReading): boolean {
  if (date.month === null) return reading.isYearTold || canMeanYear(date.year, line)
  const { year = null, month, day } = date
  const said = new Date(line.at)
  const place = { line, reading, year, said }
  return day === null ? canMeanMonth(month, place) : canMeanDay(month, day, place)
}

interface DateReading {
  readonly line: TimedLine
  readonly reading: YearReading
  /** Null: that of the line. */
  readonly year: number | null
  readonly said: Date
}

function canMeanYear(year: number | null, { at, text }: TimedLine): boolean {
  const distance = Math.abs((year ?? 0) - new Date(at).getUTCFullYear())
  if (distance === 0) return true
  if (distance === 1 && otherYear.test(text)) return true
  return /\byears?\b|\bdecades?\b|\bage|\bsince\b/i.test(text) && numbersOf(text).includes(distance)
}

const months = monthNames.join('|')
const otherYear = new RegExp(
  String.raw`\b(?:next|last|previous|coming) (?:year|winter|spring|summer|autumn|fall|${months})|years? ago|\b(?:christmas|new year|easter|thanksgiving)\b`,
  'i',
)
const nearMonth = /\b(?:next|last|this|following|coming) (?:month|week|quarter)|\bmonth\b/i
const partOfYear =
  /\b(?:spring|summer|autumn|fall|winter|quarter|season|(?:months?|weeks?) (?:ago|back)|in \w+ (?:months?|weeks?))\b/i

function canMeanMonth(month: number, { line, reading, year, said }: DateReading): boolean {
  const span = monthOf(year ?? said.getUTCFullYear(), month - 1)
  const gap = gapDays(span, line.at)
  if (datesOf(line.text).some((told) => told.month === month) && isYearOf(span, { line, reading, year, said }))
    return true
  if (gap === 0) return true
  return (
    (nearMonth.test(line.text) && gap <= 31) ||
    (partOfYear.test(line.text) && gap <= 300) ||
    overlapsTime(span, line, 366)
  )
}

function canMeanDay(month: number, day: number, { line, reading, year, said }: DateReading): boolean {
  const from = Date.UTC(year ?? said.getUTCFullYear(), month - 1, day)
  const span = { from, to: from + dayMs }
  const gap = gapDays(span, line.at)
  const { text } = line
  if (gap === 0) return true
  if (datesOf(text).some((told) => told.month === month && isDayOf(told, from)) || isNumericDate(month, day, text))
    return isYearOf(span, { line, reading, year, said })
  if (dayRules.some(({ told, most, fits }) => gap <= most && told(from).test(text) && (fits?.(from) ?? true)))
    return true
  if (/\bend of\b/i.test(text) && isLastOfMonth(from) && (gap <= 366 || reading.isYearTold)) return true
  return overlapsTime(span, line, 31)
}

/** The day itself, or the first or the last one of a month that is named alone. */
function isDayOf({ day }: ToldDate, from: number): boolean {
  const ofMonth = new Date(from).getUTCDate()
  return day === null ? ofMonth === 1 || isLastOfMonth(from) : day === ofMonth
}

interface DayRule {
  /** The words of a line for a day. */
  readonly told: (from: number) => RegExp
  /** The most days between the day and the line. */
  readonly most: number
  readonly fits?: (from: number) => boolean
}

const weekdayOf = (from: number) => new Date(from).getUTCDay()
const always = (pattern: RegExp) => () => pattern

const dayRules: readonly DayRule[] = [
  {
    told: (from) => {
      const name = weekdayNames[weekdayOf(from)] ?? ''
      return new RegExp(String.raw`\b(?:${name}|${name.slice(0, 3)}|${name.slice(0, 4)})s?\b`, 'i')
    },
    most: 14,
  },
  {
    told: (from) => {
      const day = new Date(from).getUTCDate()
      return new RegExp(String.raw`\b${day}(?:st|nd|rd|th)\b|\b(?:and|to|the|-|–) ?${day}\b`, 'i')
    },
    most: 62,
  },
  { told: always(/\b(?:yesterday|last night|tomorrow|tonight|overnight)\b/i), most: 1 },
  { told: always(/\bweekend\b/i), most: 9, fits: (from) => [0, 5, 6].includes(weekdayOf(from)) },
  { told: always(/\bweek\b/i), most: 14, fits: (from) => [0, 1, 5, 6].includes(weekdayOf(from)) },
  { told: always(/\bago\b|\bin (?:an?|\w+) (?:days?|weeks?|months?)\b/i), most: 370 },
]

/** `14/3` and `3/14`, in both orders. */
function isNumericDate(month: number, day: number, text: string): boolean {
  return [...text.matchAll(/\b(\d{1,2})[./](\d{1,2})\b/g)].some(([, one, other]) => {
    const [a, b] = [Number(one), Number(other)]
    return (a === day && b === month) || (a === month && b === day)
  })
}

/** Days before and after the line in which a date without a year lies, by the kind of its fact. */
function reach(kind: FactKind | null): readonly [before: number, after: number] {
  if (kind === 'event') return [366, 2]
  if (kind === 'plan') return [16, 366]
  return kind === null ? [366, 366] : [200, 300]
}

function isYearOf({ from }: Pick<Span, 'from'>, { line, reading, year, said }: DateReading): boolean {
  if (year === null || reading.isYearTold) return true
  const [before, after] = reach(reading.kind)
  const days = (from - line.at) / dayMs
  if (days >= -before - 31 && days <= after) return true
  return otherYear.test(line.text) && Math.abs(year - said.getUTCFullYear()) === 1
}

/** Whether the line has an expression for the time, of at most this number of days. */
function overlapsTime({ from, to }: Pick<Span, 'from' | 'to'>, { text, at }: TimedLine, days: number): boolean {
  return findTimes(text, at).some((time) => time.from < to && from < time.to && time.to - time.from <= days * dayMs)
}

function gapDays({ from, to }: Pick<Span, 'from' | 'to'>, at: number): number {
  if (at >= from && at < to) return 0
  return Math.ceil(Math.min(Math.abs(from - at), Math.abs(at - to + 1)) / dayMs)
}

function isLastOfMonth(from: number): boolean {
  return new Date(from + dayMs).getUTCDate() === 1
}
