/** Days in UTC, in the form that asks use. */
import type { EventTime } from '@loomlog/schemas/events'
import type { Dates } from './task-types.ts'

export const dayMs = 24 * 60 * 60 * 1000
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** 2023-05-08 */
export function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Monday 2023-05-08: a model resolves "last Friday" better if it sees the weekday. */
export function namedDay(at: number): string {
  return `${weekdays[new Date(at).getUTCDay()]} ${isoDay(at)}`
}

/** The time span of an answer's dates; null if they are invalid, or end before they begin. */
export function eventTime(dates: Dates | null): EventTime | null {
  if (dates === null) return null
  const from = parseDay(dates.from)
  const last = parseDay(dates.to)
  if (from === null || last === null || last < from) return null
  return { from, to: last + dayMs, text: dates.text.trim() || isoDay(from) }
}

/** Real days only: 2023-02-30 is invalid. */
function parseDay(text: string): number | null {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(at) || isoDay(at) !== text ? null : at
}
