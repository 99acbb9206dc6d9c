/**
 * Describes every changed document, once, as the last outputs of an event. The count is always right; title and summary are at most
 * `describeEvery` changes old.
 */

import { ask, type Effects, put, range } from '@loomlog/runtime/step'
import type { DocumentDescribed, Draft } from '@loomlog/schemas/events'
import { isIdle } from './buckets.ts'
import { byRules, type Changes, existing } from './changes.ts'
import { describeByRules } from './local.ts'
import { day } from './reconciliation.ts'
import { type Document, documents, type Entry, entries } from './state.ts'
import type { DescribeInput } from './task-types.ts'
import { describeDocument, maxDescribed } from './tasks.ts'

/** The most entries of a document that its description reads. */
const maxRead = 1_000
const keywordCount = 8
const subjectCount = 3

export function* describeChanged(changes: Changes, describeEvery: number): Effects<void> {
  for (const id of new Set([...changes.changed, ...changes.cleaned])) {
    const before = yield* existing(id)
    const cleaned = changes.cleaned.has(id)
    const due = cleaned || before.changes % describeEvery === 0 || before.summary === ''
    // An older description may contain a retracted statement, so it is replaced even without an answer.
    const described = due ? yield* describe(id, before, cleaned ? 'replace' : 'update') : before
    const document = { ...described, changes: before.changes + 1 }
    yield* put(documents, id, document)
    // Entries carry the title of their time.
    const retitled = cleaned ? (yield* range(entries, `${id}/`, maxRead)).map(([key]) => key.slice(id.length + 1)) : []
    changes.drafts.push(draft(id, document, retitled))
  }
}

/** `replace`: nothing of the old description may stay. */
function* describe(id: string, document: Document, how: 'update' | 'replace'): Effects<Document> {
  const held = yield* range(entries, `${id}/`, maxRead)
  if (held.length === 0)
    return {
      ...document,
      title: how === 'replace' ? (document.entity ?? '') : document.title,
      summary: 'Nothing in it holds any more.',
      describedBy: 'rules',
      completions: [],
    }
  const input = describeInput(
    document,
    held.map(([, entry]) => entry),
  )
  const answer = yield* ask(describeDocument, input)
  // Without an answer the old description stays; a new document is described by its first entry.
  if (answer.kind === 'none' && how === 'update') {
    const summary = document.summary || (held[0]?.[1].text ?? '')
    return { ...document, summary, describedBy: byRules.by, completions: answer.completions }
  }
  const { title, summary } = answer.value ?? describeByRules(input)
  const part = document.part === 1 ? '' : ` (${document.part})`
  const describedBy = answer.kind === 'answer' ? answer.by : byRules.by
  return { ...document, title: title + part, summary, describedBy, completions: answer.completions }
}

function describeInput({ kind, entity }: Document, held: readonly Entry[]): DescribeInput {
  const inTime = held.toSorted((a, b) => a.validFrom - b.validFrom)
  const newest = inTime.slice(-maxDescribed)
  const subjects =
    entity === null ? mostFrequent(inTime.map((entry) => entry.subject)).slice(0, subjectCount) : [entity]
  const names = new Set(subjects.map((subject) => subject.toLowerCase()))
  const words = inTime
    .flatMap((entry) => entry.keywords)
    .filter((word) => !isIdle(word) && !names.has(word.toLowerCase()))
  return {
    kind,
    subjects,
    keywords: mostFrequent(words).slice(0, keywordCount),
    entries: newest.map(({ heading, text, validFrom }) => ({ heading, text, from: day(validFrom) })),
    total: held.length,
  }
}

/** Each once, the most frequent first, then in the order of the text. */
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
