/**
 * The facts of a model's answer, one row of text each, which takes a third of the tokens of an object:
 *
 *   u1,u3 | event | 2026-03-01 | Porto | Tom | boat, sail | Ann | sails to | Porto with Tom on 1 March 2026
 *
 * The last three cells read as the fact's sentence. A row that can't be read is left out; the schema lets an endpoint enforce its form.
 */
import { names } from '@loomlog/language/names'
import type { FactKind } from '@loomlog/schemas/events'
import type { ExtractedFact } from './task-types.ts'

const cells = 9
/** The form of a row, as the schema says it. */
export const rowPattern = `^u\\d[^|]*(\\|[^|]*){${cells - 1}}`

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
    when: stretchOf(when),
    location: place === '' ? null : place,
    persons,
    entities: names(text).entities.filter((name) => !persons.includes(name)),
    keywords: listed(words),
    sources: sources.match(/u\d+/g) ?? [],
  }
}

/** A day, a month, a year or a minute, or the first and the last one of several: `2026-03-01..2026-03-04`. */
function stretchOf(cell: string): ExtractedFact['when'] {
  const [first = '', last = first] = cell.split('..').map(tidy)
  const [start, end] = [unitOf(first), unitOf(last)]
  if (start === null || end === null || end.to <= start.from) return null
  const text = first === last ? start.text : `${start.text} to ${end.text}`
  return { from: new Date(start.from).toISOString(), to: new Date(end.to).toISOString(), text }
}

const months = 'January February March April May June July August September October November December'.split(' ')

function unitOf(text: string): { readonly from: number; readonly to: number; readonly text: string } | null {
  const found = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d))?)?)?/.exec(text)
  if (!found) return null
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = found
    .slice(1)
    .map((part) => (part ? Number(part) : undefined))
  const from = Date.UTC(year, month - 1, day, hour, minute)
  // Date.UTC turns 30 February into 2 March.
  if (new Date(from).getUTCDate() !== day || new Date(from).getUTCMonth() !== month - 1) return null
  if (found[2] === undefined) return { from, to: Date.UTC(year + 1, 0), text: String(year) }
  if (found[3] === undefined) return { from, to: Date.UTC(year, month), text: `${months[month - 1]} ${year}` }
  const date = `${day} ${months[month - 1]} ${year}`
  if (found[4] === undefined) return { from, to: Date.UTC(year, month - 1, day + 1), text: date }
  return { from, to: from + 60_000, text: `${date}, ${found[4]}:${found[5]}` }
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
