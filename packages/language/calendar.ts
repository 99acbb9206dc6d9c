/**
 * Days, weeks, months and years as spans of UTC time, `to` exclusive. Weeks begin on Monday, a weekend is Saturday and
 * Sunday, and a winter has the year of its December. No clock: the caller names the date.
 */

export interface Span {
  readonly from: number
  readonly to: number
  /** For machines and lists: 2023-05-07, May 2023, 2022, the week of 2023-05-01. */
  readonly display: string
  /** For sentences: 7 May 2023, the week of 1 May 2023. */
  readonly prose: string
  /** The preposition before the span in a sentence; empty: none. */
  readonly preposition: 'on' | 'in' | 'at' | ''
}

export const dayMs = 86_400_000
export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
)
export const weekdayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const seasonNames = ['spring', 'summer', 'autumn', 'winter'] as const
type Season = (typeof seasonNames)[number]

export function day(at: number): Span {
  const from = Math.floor(at / dayMs) * dayMs
  return { from, to: from + dayMs, display: iso(from), prose: longDate(from), preposition: 'on' }
}

export function week(at: number): Span {
  const from = day(at - ((new Date(at).getUTCDay() + 6) % 7) * dayMs).from
  return {
    from,
    to: from + 7 * dayMs,
    display: `the week of ${iso(from)}`,
    prose: `the week of ${longDate(from)}`,
    preposition: 'in',
  }
}

/** The Saturday and Sunday of the week of `at`. */
export function weekend(at: number): Span {
  const from = week(at).from + 5 * dayMs
  return {
    from,
    to: from + 2 * dayMs,
    display: `the weekend of ${iso(from)}`,
    prose: `the weekend of ${longDate(from)}`,
    preposition: 'on',
  }
}

/** Months count from 0. An index outside of 0–11 is a month of another year. */
export function month(year: number, index: number): Span {
  const from = Date.UTC(year, index, 1)
  const prose = `${monthNames[new Date(from).getUTCMonth()]} ${new Date(from).getUTCFullYear()}`
  return { from, to: Date.UTC(year, index + 1, 1), display: prose, prose, preposition: 'in' }
}

export function year(number: number): Span {
  const text = String(number)
  return { from: Date.UTC(number, 0, 1), to: Date.UTC(number + 1, 0, 1), display: text, prose: text, preposition: 'in' }
}

/** The season that begins in this year: winter 2022 is December 2022 to February 2023. */
export function season(number: number, name: Season): Span {
  const first = 2 + 3 * seasonNames.indexOf(name)
  const prose = `${name} ${number}`
  return {
    from: Date.UTC(number, first, 1),
    to: Date.UTC(number, first + 3, 1),
    display: prose,
    prose,
    preposition: 'in',
  }
}

/** An approximate span. `display` is the day in its middle. */
export function roughly(from: number, to: number, prose: string): Span {
  return { from, to, display: `about ${iso((from + to) / 2)}`, prose, preposition: '' }
}

export function longDate(at: number): string {
  const date = new Date(at)
  return `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

function iso(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
