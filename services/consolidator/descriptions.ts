/**
 * Describes every changed document once, with its count of entries, as the last outputs of an event. The plan's summary
 * is used if it is grounded. Rules write a summary if there is no plan, if the document has none, or if the old one may
 * state an ended entry.
 */

import { labelWords } from '@loomlog/language/label-words'
import { type Effects, put, range } from '@loomlog/runtime/step'
import type { DocumentDescribed, Draft } from '@loomlog/schemas/events'
import { byRules, type Changes, requireDocument } from './changes.ts'
import { isoDay } from './days.ts'
import { inventedWords } from './grounded-words.ts'
import { type DescribeInput, describeByRules } from './local.ts'
import type { Plan } from './plan.ts'
import { type Document, documents, type Entry, entries } from './state.ts'
import { isAttachmentWord } from './term-index.ts'

/** The most entries of a document that its description reads. */
const maxRead = 1_000
/** The newest entries that a description by rules reads. */
const maxDescribed = 40
const keywordCount = 8
const subjectCount = 3
const titleWords = 3

/** Summaries of a plan, by document, and their origin; null: there is no plan. */
export type PlannedSummaries = Pick<Plan, 'summaries' | 'decided'> | null

/** @returns the number of summaries that were refused, because they invent a name or a number */
export function* describeChanged(changes: Changes, planned: PlannedSummaries): Effects<number> {
  let refused = 0
  for (const id of new Set([...changes.changed, ...changes.cleaned])) {
    const before = yield* requireDocument(id)
    const held = yield* range(entries, `${id}/`, maxRead)
    const all = held.map(([, entry]) => entry)
    const isOutdated = changes.outdated.has(id)
    const summary = changes.cleaned.has(id) ? null : (planned?.summaries.get(id) ?? null)
    const isUsed =
      summary !== null && all.length > 0 && isGrounded(summary, isOutdated ? { ...before, summary: '' } : before, all)
    if (summary !== null && !isUsed) refused += 1
    const document =
      planned && isUsed
        ? { ...before, summary, describedBy: planned.decided.by, completions: planned.decided.completions }
        : described(before, all, howDescribed(changes, id, planned))
    yield* put(documents, id, document)
    // Entries carry the title that the document had when they were written.
    const retitled = changes.cleaned.has(id) ? held.map(([key]) => key.slice(id.length + 1)) : []
    changes.drafts.push(draft(id, document, retitled))
  }
  return refused
}

/** Every name and number of the summary is in the document. */
function isGrounded(summary: string, { title, entity, summary: before }: Document, held: readonly Entry[]): boolean {
  const texts = held.flatMap(({ text, subject, keywords, when }) => [text, subject, when?.text ?? '', ...keywords])
  return inventedWords(summary, [title, entity ?? '', before, ...texts]).length === 0
}

/**
 * `keep`: the old description, if there is one. `summary`: a new summary under the old title. `all`: a new title and
 * summary. `replace`: the same, and an empty topic document loses its title.
 */
type How = 'keep' | 'summary' | 'all' | 'replace'

function howDescribed(changes: Changes, id: string, planned: PlannedSummaries): How {
  if (changes.cleaned.has(id)) return 'replace'
  if (planned === null) return 'all'
  return changes.outdated.has(id) ? 'summary' : 'keep'
}

function described(document: Document, held: readonly Entry[], how: How): Document {
  const byTheRules = { describedBy: byRules.by, completions: [] }
  if (held.length === 0) {
    const title = how === 'replace' ? (document.entity ?? '') : document.title
    return { ...document, title, summary: 'Nothing in it holds any more.', ...byTheRules }
  }
  if (how === 'keep' && document.summary !== '') return document
  const keepsTitle = how === 'keep' || how === 'summary'
  const { title, summary } = describeByRules(describeInput(document, held))
  const part = document.part === 1 ? '' : ` (${document.part})`
  return { ...document, title: keepsTitle ? document.title : title + part, summary, ...byTheRules }
}

function describeInput({ kind, entity }: Document, held: readonly Entry[]): DescribeInput {
  const inTime = held.toSorted((a, b) => a.validFrom - b.validFrom)
  const newest = inTime.slice(-maxDescribed)
  const subjects =
    entity === null ? mostFrequent(inTime.map((entry) => entry.subject)).slice(0, subjectCount) : [entity]
  const names = new Set(subjects.map((subject) => subject.toLowerCase()))
  const ofSubjects = new Set(subjects.flatMap((subject) => subject.toLowerCase().split(/[^\p{L}\p{M}-]+/u)))
  const recurring = labelWords(newest.map(({ text }) => text))
  const words = inTime
    .flatMap((entry) => entry.keywords)
    .filter((word) => !isAttachmentWord(word) && !names.has(word.toLowerCase()))
  return {
    kind,
    subjects,
    titleWords: recurring.filter((word) => !ofSubjects.has(word.toLowerCase())).slice(0, titleWords),
    keywords: mostFrequent(words).slice(0, keywordCount),
    entries: newest.map(({ heading, text, validFrom }) => ({ heading, text, from: isoDay(validFrom) })),
    total: held.length,
  }
}

/** Distinct words, the most frequent first; of equally frequent ones, the first. */
function mostFrequent(words: readonly string[]): readonly string[] {
  const counts = new Map<string, { readonly word: string; count: number }>()
  for (const word of words) {
    const known = counts.get(word.toLowerCase())
    if (known) known.count++
    else counts.set(word.toLowerCase(), { word, count: 1 })
  }
  return [...counts.values()].sort((a, b) => b.count - a.count).map(({ word }) => word)
}

function draft(document: string, described: Document, retitled: readonly string[]): Draft<DocumentDescribed> {
  const { kind, entity, title, summary, entries: count, describedBy, completions } = described
  const origin = { method: describedBy, completions, causes: [] }
  return { type: 'DocumentDescribed', document, kind, entity, title, summary, entries: count, retitled, origin }
}
