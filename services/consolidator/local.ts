/**
 * The tasks by rules: a fact goes into the document with the most shared words, the same words are a repetition, a new value of a slot
 * replaces the old one, and keywords, time span and newest entries describe a document.
 */

import type { Effects, Parameters } from '@loomlog/runtime/step'
import { saysTheSame } from './sameness.ts'
import type { DescribeInput, Description, PlaceInput, Placement, ReconcileInput, Verdict } from './task-types.ts'

const titleWords = 3

/** The effects of rules without asks. */
// biome-ignore lint/correctness/useYield: rules without asks yield nothing
function* atOnce<T>(answer: T): Effects<T> {
  return answer
}

export function placeFact(input: PlaceInput): Effects<Placement> {
  return atOnce(placeFactByRules(input))
}

/** Also used if a model has no answer. The fact's kind gives the heading. */
export function placeFactByRules({ fact, nearest }: PlaceInput): Placement {
  return { document: nearest, title: titleOf([fact.subject], fact.keywords), heading: '' }
}

export function reconcileEntry(input: ReconcileInput, parameters: Parameters): Effects<Verdict> {
  return atOnce(reconcileByRules(input, parameters.sameShare ?? 1))
}

/** Also used if a model has no answer. */
export function reconcileByRules({ fact, entries }: ReconcileInput, sameShare: number): Verdict {
  const same = entries.filter((entry) => isRepeated(fact, entry, sameShare))
  const replaces = entries.filter((entry) => fact.slot !== null && entry.slot === fact.slot && !same.includes(entry))
  return { same: same.map((entry) => entry.label), replaces: replaces.map((entry) => entry.label) }
}

/** An event can recur on another day in the same words; a state or a preference is the same on any day. */
function isRepeated(
  fact: ReconcileInput['fact'],
  entry: ReconcileInput['entries'][number],
  sameShare: number,
): boolean {
  if (fact.kind !== entry.kind) return false
  const recurs = fact.kind === 'event' || fact.kind === 'plan'
  return (!recurs || fact.from === entry.from) && saysTheSame(fact.text, entry.text, sameShare)
}

const newestQuoted = 2
const quotedHeadings = 5

export function describeDocument(input: DescribeInput): Effects<Description> {
  return atOnce(describeByRules(input))
}

/** Also used if a model has no answer. */
export function describeByRules(input: DescribeInput): Description {
  return input.kind === 'profile' ? describeProfile(input) : describeTopic(input)
}

function describeTopic({ subjects, keywords, entries, total }: DescribeInput): Description {
  const newest = entries.slice(-newestQuoted).map((entry) => entry.text)
  const about = `${list(keywords) || list(subjects)}; ${count(total)} about ${list(subjects)}, ${span(entries)}.`
  return { title: titleOf(subjects, keywords), summary: cut([about, ...newest].join(' ')) }
}

/** The newest entry under each heading; the most recently changed heading first. */
function describeProfile({ subjects, entries, total }: DescribeInput): Description {
  const newest = new Map<string, string>()
  for (const entry of entries.toReversed()) if (!newest.has(entry.heading)) newest.set(entry.heading, entry.text)
  const person = subjects[0] ?? ''
  const headings = [...newest.keys()].map((heading) => heading.toLowerCase())
  const about = `${person}: ${list(headings)}; ${count(total)}, ${span(entries)}.`
  const quoted = [...newest].slice(0, quotedHeadings).map(([heading, text]) => `${heading}: ${text}`)
  return { title: person, summary: cut([about, ...quoted].join(' ')) }
}

/** Maya: pottery, kiln, glaze. */
function titleOf(subjects: readonly string[], keywords: readonly string[]): string {
  const subject = subjects[0] ?? ''
  const words = keywords.filter((word) => word.toLowerCase() !== subject.toLowerCase()).slice(0, titleWords)
  return (words.length === 0 ? subject : `${subject}: ${words.join(', ')}`).slice(0, 120)
}

function span(entries: DescribeInput['entries']): string {
  const months = entries.map((entry) => entry.from.slice(0, 7)).sort()
  const [first, last] = [months[0] ?? '', months.at(-1) ?? '']
  return first === last ? first : `${first} to ${last}`
}

function count(total: number): string {
  return total === 1 ? '1 entry' : `${total} entries`
}

function list(words: readonly string[]): string {
  return words.join(', ')
}

/** Cuts at the end of a word. */
function cut(text: string): string {
  return text.length <= 600 ? text : `${text.slice(0, 599).replace(/\s+\S*$/, '')}…`
}
