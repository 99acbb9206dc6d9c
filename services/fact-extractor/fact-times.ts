/**
 * The time cell of a fact's row: when it happens or holds, in one of four forms, of days, months, years or minutes.
 *
 *   2023-05-07      on that day
 *   2023-05..2023-06   from the first through the last
 *   2023-05..       from then on
 *   ..2023-05       up to then
 *
 * The kind of the fact says what they mean: the end of a span of days is the end of a state, but not that of a trip.
 */
import { day, month, type Span, year } from '@loomlog/language/calendar'
import type { EventTime, FactKind } from '@loomlog/schemas/events'

export interface Unit {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** As the cell has it: 2023-05. */
  readonly iso: string
  /** May 2023 */
  readonly prose: string
  /** in May 2023 */
  readonly phrase: string
}

export type FactTime =
  | { readonly form: 'at'; readonly first: Unit }
  | { readonly form: 'through'; readonly first: Unit; readonly last: Unit }
  | { readonly form: 'from'; readonly first: Unit }
  | { readonly form: 'until'; readonly last: Unit }

/** The fields of a fact that its time gives. */
export interface TimeFields {
  readonly when: EventTime | null
  readonly until: number | null
  /** The time in words, for the end of the sentence: `since May 2023`. */
  readonly phrase: string
  /** The same in any language: `(2023-05 –)`. */
  readonly neutral: string
}

/** Null: the cell tells no time, or none that can be read. */
export function timeIn(cell: string): FactTime | null {
  const [start = '', end, ...more] = cell.split('..')
  if (more.length > 0) return null
  const [first, last] = [unitOf(start), unitOf(end ?? '')]
  if (end === undefined) return first && { form: 'at', first }
  if (end === '') return first && { form: 'from', first }
  if (start === '') return last && { form: 'until', last }
  return first && last && last.to > first.from ? { form: 'through', first, last } : null
}

export function unitsOf(time: FactTime): readonly Unit[] {
  switch (time.form) {
    case 'through':
      return [time.first, time.last]
    case 'until':
      return [time.last]
    default:
      return [time.first]
  }
}

/** @param saidAt tells `since` from `from … on` */
export function timeFields(time: FactTime, kind: FactKind, saidAt: number): TimeFields {
  const isHeld = kind === 'state' || kind === 'preference'
  switch (time.form) {
    case 'at':
      return { when: eventTime(time.first), until: null, phrase: time.first.phrase, neutral: `(${time.first.iso})` }
    case 'from': {
      const { prose, iso, from } = time.first
      const phrase = from > saidAt ? `from ${prose} on` : `since ${prose}`
      return { when: eventTime(time.first), until: null, phrase, neutral: `(${iso} –)` }
    }
    case 'until': {
      const { prose, iso, to } = time.last
      const phrase = `${isHeld ? 'until' : 'by'} ${prose}`
      // A deadline is a time of its plan. The end of a state says nothing about its beginning, nor that of an event
      // about its day.
      return {
        when: kind === 'plan' ? eventTime(time.last) : null,
        until: kind === 'event' ? null : to,
        phrase,
        neutral: `(– ${iso})`,
      }
    }
    default: {
      const { first, last } = time
      const whole = { from: first.from, to: last.to, text: `${first.prose} to ${last.prose}` }
      const fields = isHeld ? { when: eventTime(first), until: last.to } : { when: whole, until: null }
      return { ...fields, phrase: `from ${first.prose} to ${last.prose}`, neutral: `(${first.iso} – ${last.iso})` }
    }
  }
}

function eventTime({ from, to, prose }: Unit): EventTime {
  return { from, to, text: prose }
}

const pattern =
  /^(?<year>\d{4})(?:-(?<month>\d{1,2})(?:-(?<day>\d{1,2})(?:[T ](?<clock>\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?)?)?$/

function unitOf(text: string): Unit | null {
  const found = pattern.exec(text)?.groups
  if (!found) return null
  const [ofYear, index] = [Number(found['year']), Number(found['month'] ?? 1) - 1]
  const date = new Date(Date.UTC(ofYear, index, Number(found['day'] ?? 1)))
  // Date.UTC turns 30 February into 2 March.
  if (date.getUTCMonth() !== index || (found['day'] && date.getUTCDate() !== Number(found['day']))) return null
  if (found['clock'] !== undefined) return minuteOf(day(date.getTime()), found['clock'], found['zone'] ?? 'Z')
  return unit(found['day'] ? day(date.getTime()) : found['month'] ? month(ofYear, index) : year(ofYear), text)
}

function unit({ from, to, prose, preposition }: Span, iso: string): Unit {
  return { from, to, iso, prose, phrase: `${preposition} ${prose}` }
}

/** The minute in UTC, and the time of day as written. */
function minuteOf(span: Span, clock: string, zone: string): Unit | null {
  const ofDay = minutesOf(clock)
  const offset = zone === 'Z' ? 0 : minutesOf(zone.slice(1))
  if (ofDay === null || offset === null) return null
  const from = span.from + (ofDay - (zone.startsWith('-') ? -offset : offset)) * minuteMs
  const { iso, ...words } = unit({ ...span, prose: `${span.prose}, ${clock}` }, `${span.display} ${clock}`)
  return { ...words, iso, from, to: from + minuteMs }
}

const minuteMs = 60_000

/** `14:30` or `1430`, in minutes. */
function minutesOf(clock: string): number | null {
  const [hour, minute] = [Number(clock.slice(0, 2)), Number(clock.slice(-2))]
  return hour < 24 && minute < 60 ? 60 * hour + minute : null
}
