/**
 * Describes every changed document once, with its count of entries, as the last outputs of an event. Rules describe
 * documents that no plan has named.
 */

import { labelWords } from '@loomlog/language/label-words'
import { type Effects, put, range } from '@loomlog/runtime/step'
import type { DocumentDescribed, Draft } from '@loomlog/schemas/events'
import { byRules, type Changes, requireDocument } from '../changes.ts'
import { isoDay } from '../days.ts'
import { type DescribeInput, describeByRules } from '../local.ts'
import { type Document, documents, type Entry, entries, unsorted } from '../state.ts'
import { isAttachmentWord } from './term-index.ts'

/** The most entries of a document that its description reads. */
const maxRead = 1_000
/** The newest entries that a description by rules reads. */
const maxDescribed = 40
const keywordCount = 8
const subjectCount = 3
const titleWords = 3

export function* describeChanged(changes: Changes): Effects<void> {
  for (const id of new Set([...changes.changed, ...changes.cleaned])) {
    const before = yield* requireDocument(id)
    const held = yield* range(entries, `${id}/`, maxRead)
    const isCleaned = changes.cleaned.has(id)
    const document = described(
      before,
      held.map(([, entry]) => entry),
      isCleaned,
    )
    yield* put(documents, id, document)
    // Entries carry the title that the document had when they were written.
    const isRetitled = isCleaned || changes.retitled.has(id)
    changes.drafts.push(draft(id, document, isRetitled ? held.map(([key]) => key.slice(id.length + 1)) : []))
  }
}

/**
 * A model's description names kinds of things, so it stays until a retraction cleans the document, which then also
 * loses an empty topic's title.
 */
function described(document: Document, held: readonly Entry[], isCleaned: boolean): Document {
  if (document.first === unsorted || (!isCleaned && document.describedBy !== byRules.by)) return document
  const byTheRules = { describedBy: byRules.by, completions: [] }
  if (held.length === 0) {
    const title = isCleaned ? (document.entity ?? '') : document.title
    return { ...document, title, summary: 'Nothing in it holds any more.', ...byTheRules }
  }
  const { title, summary } = describeByRules(describeInput(document, held))
  const part = document.part === 1 ? '' : ` (${document.part})`
  return { ...document, title: title + part, summary, ...byTheRules }
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
