/**
 * The decisions by rules: a fact goes into the document with the most shared words, the same words are a repetition, a
 * new value of a slot replaces the old one, and recurring words, keywords, time span and newest entries describe a
 * document.
 */

import type { Effects } from '@loomlog/runtime/step'
import type { FactKind } from '@loomlog/schemas/events'
import { isoDay } from './days.ts'
import type { PlacedEntry } from './documents/term-index.ts'
import { isRepetition } from './record/repetition.ts'
import type { Entry } from './state.ts'
import type { BatchPlan } from './task-types.ts'

/** The most characters of a title by rules. */
export const maxTitleChars = 120

/** Wraps an answer that needs no ask. */
// biome-ignore lint/correctness/useYield: rules without asks yield nothing
function* atOnce<T>(answer: T): Effects<T> {
  return answer
}

/** No plan: the step decides on each fact by the rules below, one after the other. */
export function consolidateBatch(): Effects<BatchPlan> {
  return atOnce({ rows: [] })
}

export interface Statement {
  readonly text: string
  readonly kind: FactKind
  /** The slot, of which one value holds at a time: maya|lives in. */
  readonly slot: string | null
  /** The first day on which it holds: 2023-05-07. */
  readonly from: string
}

/** The entries that say the same as the fact, and those with another value of its slot. */
export function reconcileByRules(fact: Statement, rivals: readonly PlacedEntry[], sameShare: number) {
  const same = rivals.filter(({ entry }) => isRepeated(fact, entry, sameShare))
  const replaces = rivals.filter(
    (rival) => fact.slot !== null && rival.entry.slot === fact.slot && !same.includes(rival),
  )
  return { same, replaces }
}

/** An event can recur on another day in the same words; a state or a preference is the same on any day. */
function isRepeated(fact: Statement, entry: Entry, sameShare: number): boolean {
  if (fact.kind !== entry.factKind) return false
  const recurs = fact.kind === 'event' || fact.kind === 'plan'
  return (!recurs || fact.from === isoDay(entry.validFrom)) && isRepetition(fact.text, entry.text, sameShare)
}

/** The most characters of a summary by rules. */
const longestSummary = 600
const newestQuoted = 2
const quotedHeadings = 5

/** The content of a description. */
export interface DescribeInput {
  readonly kind: 'topic' | 'profile'
  /** The person of the profile, or the main subjects of the topic. */
  readonly subjects: readonly string[]
  /** Words that recur in the entries, and name them. */
  readonly titleWords: readonly string[]
  readonly keywords: readonly string[]
  /** The newest entries, in the order of time. */
  readonly entries: readonly { readonly heading: string; readonly text: string; readonly from: string }[]
  /** The number of all entries. */
  readonly total: number
}
export interface Description {
  readonly title: string
  readonly summary: string
}

export function describeByRules(input: DescribeInput): Description {
  return input.kind === 'profile' ? describeProfile(input) : describeTopic(input)
}

function describeTopic({ subjects, titleWords, keywords, entries, total }: DescribeInput): Description {
  const newest = entries.slice(-newestQuoted).map((entry) => entry.text)
  const about = `${list(keywords) || list(subjects)}; ${count(total)} about ${list(subjects)}, ${span(entries)}.`
  return { title: titleOf(subjects, titleWords), summary: truncateAtWord([about, ...newest].join(' '), longestSummary) }
}

/** The newest entry under each heading; the most recently changed heading first. */
function describeProfile({ subjects, entries, total }: DescribeInput): Description {
  const newest = new Map<string, string>()
  for (const entry of entries.toReversed()) if (!newest.has(entry.heading)) newest.set(entry.heading, entry.text)
  const person = subjects[0] ?? ''
  const headings = [...newest.keys()].map((heading) => heading.toLowerCase())
  const about = `${person}: ${list(headings)}; ${count(total)}, ${span(entries)}.`
  const quoted = [...newest].slice(0, quotedHeadings).map(([heading, text]) => `${heading}: ${text}`)
  return { title: person, summary: truncateAtWord([about, ...quoted].join(' '), longestSummary) }
}

/** Maya: pottery, kiln. Without a word that recurs in the entries, the subject alone. */
function titleOf(subjects: readonly string[], words: readonly string[]): string {
  const subject = subjects[0] ?? ''
  return (words.length === 0 ? subject : `${subject}: ${words.join(', ')}`).slice(0, maxTitleChars)
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
function truncateAtWord(given: string, most: number): string {
  const text = given.trim()
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/\s+\S*$/, '')}…`
}
