/**
 * Evidence as a text to be read: day by day, in the order of time, each line beginning with the number of its item, which is its citation. A
 * year is said with the first day of it that is shown; and of what something took the place of, that it has changed.
 */
import type { Scored } from '../memory.ts'

type Dated = Pick<Scored, 'at'>
type Said = Pick<Scored, 'text' | 'replacedBy'>

export function shownText(items: readonly (Dated & Said)[]): string {
  let shown = ''
  let last: Day | null = null
  for (const [at, item] of items.entries()) {
    const day = dayOf(item)
    if (day.name !== last?.name || day.year !== last.year) shown += heading(day, last?.year ?? null)
    last = day
    shown += line(at + 1, item)
  }
  return shown
}

export function line(number: number, { text, replacedBy }: Said): string {
  return `${number} ${text}${replacedBy ? ' (since changed)' : ''}\n`
}

export interface Day {
  readonly name: string
  /** Empty where it has no date. */
  readonly year: string
}

/** @param known the year that was said last */
export function heading({ name, year }: Day, known: string | null): string {
  return year === '' || year === known ? `${name}\n` : `${name} ${year}\n`
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const dayMs = 86_400_000
/** Days remembered, since to write them takes a while: some 27 years of them. */
const maxKnownDays = 10_000
const undated: Day = { name: 'undated', year: '' }
const known = new Map<number, Day>()

export function dayOf({ at }: Dated): Day {
  if (at === null) return undated
  const number = Math.floor(at / dayMs)
  const before = known.get(number)
  if (before) return before
  const day = { name: dayFormat.format(at), year: String(new Date(at).getUTCFullYear()) }
  if (known.size >= maxKnownDays) known.clear()
  known.set(number, day)
  return day
}
