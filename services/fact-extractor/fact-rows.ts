/**
 * The facts of a model's answer, one row of text each, which takes a third of the tokens of an object:
 *
 *   u1,u3 | event | 2026-03-01 | Porto | Tom | boat, sail | Ann | sails to | Porto with Tom on 1 March 2026
 *
 * The last three cells read as the fact's sentence. A row that can't be read is left out; the schema lets an endpoint enforce its form.
 */
import { day, month, type Span, year } from '@loomlog/language/calendar'
import { names } from '@loomlog/language/names'
import type { FactKind } from '@loomlog/schemas/events'
import type { ExtractedFact } from './task-types.ts'

const cells = 9
/**
 * The form of a row, as a pattern for the schema: labels, and then eight cells or more. llama.cpp's server refuses patterns without both anchors or
 * with `\d`. The first cell has labels, no prose.
 */
export const rowPattern = `^u[0-9][u0-9,; -]*([|][^|]*){${cells - 1},}$`

const kinds: readonly FactKind[] = ['event', 'state', 'preference', 'plan']
const maxName = 200
const maxObject = 600

export function factsIn(rows: readonly string[]): readonly ExtractedFact[] {
  return rows.flatMap((row) => factIn(row) ?? [])
}

function factIn(row: string): ExtractedFact | null {
  const [sources = '', kind = '', when = '', place = '', people = '', words = '', ...rest] = row.split('|').map(tidy)
  const [subject = '', relation = '', ...object] = rest
  if (rest.length < cells - 6 || subject === '') return null
  const sentence = [subject, relation, ...object].filter((cell) => cell !== '').join(' ')
  const text = /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
  const persons = listed(people)
  return {
    text: cut(text, 2 * maxName + maxObject),
    kind: kinds.find((known) => known === kind) ?? 'state',
    subject: cut(subject, maxName),
    relation: cut(relation, maxName),
    object: cut(object.join(' ').replace(/\.$/, ''), maxObject),
    when: timeSpanOf(when),
    location: place === '' ? null : place,
    persons,
    entities: names(text).entities.filter((name) => !persons.includes(name)),
    keywords: listed(words),
    sources: sources.match(/u\d+/g) ?? [],
  }
}

/** A day, a month, a year or a minute, or the first and the last one of several: `2026-03-01..2026-03-04`. */
function timeSpanOf(cell: string): ExtractedFact['when'] {
  const [first = '', last = first] = cell.split('..').map(tidy)
  const [start, end] = [unitOf(first), unitOf(last)]
  if (start === null || end === null || end.to <= start.from) return null
  const text = first === last ? start.text : `${start.text} to ${end.text}`
  return { from: new Date(start.from).toISOString(), to: new Date(end.to).toISOString(), text }
}

const timePattern =
  /^(?<year>\d{4})(?:-(?<month>\d{1,2})(?:-(?<day>\d{1,2})(?:[T ](?<clock>\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?)?)?$/

type Unit = Pick<Span, 'from' | 'to'> & { readonly text: string }

function unitOf(text: string): Unit | null {
  const found = timePattern.exec(text)?.groups
  if (!found) return null
  const [ofYear, index] = [Number(found['year']), Number(found['month'] ?? 1) - 1]
  const date = new Date(Date.UTC(ofYear, index, Number(found['day'] ?? 1)))
  // Date.UTC turns 30 February into 2 March.
  if (date.getUTCMonth() !== index || (found['day'] && date.getUTCDate() !== Number(found['day']))) return null
  if (found['clock'] !== undefined) return minuteOf(day(date.getTime()), found['clock'], found['zone'] ?? 'Z')
  const span = found['day'] ? day(date.getTime()) : found['month'] ? month(ofYear, index) : year(ofYear)
  return { from: span.from, to: span.to, text: span.prose }
}

/** The minute in UTC, and the time of day as written. */
function minuteOf({ from: midnight, prose }: Span, clock: string, zone: string): Unit | null {
  const ofDay = minutesOf(clock)
  const offset = zone === 'Z' ? 0 : minutesOf(zone.slice(1))
  if (ofDay === null || offset === null) return null
  const from = midnight + (ofDay - (zone.startsWith('-') ? -offset : offset)) * minuteMs
  return { from, to: from + minuteMs, text: `${prose}, ${clock}` }
}

const minuteMs = 60_000

/** `14:30` or `1430`, in minutes. */
function minutesOf(clock: string): number | null {
  const [hour, minute] = [Number(clock.slice(0, 2)), Number(clock.slice(-2))]
  return hour < 24 && minute < 60 ? 60 * hour + minute : null
}

function listed(cell: string): readonly string[] {
  return [...new Set(cell.split(/[,;]/).map(tidy))].filter((each) => each !== '')
}

function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed()
}

function tidy(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
