/**
 * Describes every document that a fact changed, once, as the last thing: nothing comes later that could make up for it. The count
 * is always right; the title and the summary are at most `describeEvery` changes old.
 */

import { ask, type Effects, put, range } from '@loomlog/runtime/step'
import type { DocumentDescribed, Draft } from '@loomlog/schemas/events'
import { isIdle } from './buckets.ts'
import { byRules, type Changes, existing } from './changes.ts'
import { describeByRules } from './local.ts'
import { day } from './reconciling.ts'
import { type Document, documents, type Entry, entries } from './state.ts'
import { type DescribeInput, describeDocument, maxDescribed } from './tasks.ts'

/** Entries of a document that are looked through for its description, at most. */
const maxRead = 1_000
const keywordCount = 8
const subjectCount = 3

export function* describeChanged(changes: Changes, describeEvery: number): Effects<void> {
  for (const id of new Set([...changes.changed, ...changes.cleaned])) {
    const before = yield* existing(id)
    const cleaned = changes.cleaned.has(id)
    const due = cleaned || before.changes % describeEvery === 0 || before.summary === ''
    // What was retracted must not stay in the words of an older description, also where there is no answer.
    const described = due ? yield* describe(id, before, cleaned ? 'anew' : 'again') : before
    const document = { ...described, changes: before.changes + 1 }
    yield* put(documents, id, document)
    // Entries were written with the title that held then.
    const retitled = cleaned ? (yield* range(entries, `${id}/`, maxRead)).map(([key]) => key.slice(id.length + 1)) : []
    changes.drafts.push(draft(id, document, retitled))
  }
}

/** `anew`: nothing of the description before it may stay. */
function* describe(id: string, document: Document, how: 'again' | 'anew'): Effects<Document> {
  const held = yield* range(entries, `${id}/`, maxRead)
  if (held.length === 0)
    return {
      ...document,
      title: how === 'anew' ? (document.entity ?? '') : document.title,
      summary: 'Nothing in it holds any more.',
      describedBy: 'rules',
      completions: [],
    }
  const input = describeInput(
    document,
    held.map(([, entry]) => entry),
  )
  const answer = yield* ask(describeDocument, input)
  // Without an answer the description before it stands; a new document is described by its first entry.
  if (answer.none !== null && how === 'again') {
    const summary = document.summary || (held[0]?.[1].text ?? '')
    return { ...document, summary, describedBy: byRules.by, completions: answer.completions }
  }
  const { title, summary } = answer.value ?? describeByRules(input)
  const part = document.part === 1 ? '' : ` (${document.part})`
  const describedBy = answer.none === null ? answer.by : byRules.by
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
