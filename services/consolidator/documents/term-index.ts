/**
 * Two indexes: from subjects, boxes and words of facts to documents, and from a subject and a word to entries. Lists
 * are bounded. A word that many documents share counts less.
 */

import { terms } from '@loomlog/language/terms'
import { type Effects, get, put } from '@loomlog/runtime/step'
import {
  buckets,
  documents,
  type Entry,
  type EntryRef,
  entries,
  entryKey,
  type Fact,
  maxDocumentsInBucket,
  maxMentions,
  maxTerms,
  mentions,
} from '../state.ts'

/** Words about attachments, which occur in facts on any subject. */
const attachmentWords = /^(?:photo\w*|pictures?|pictur|images?|imag|shared?)$/i

export function isAttachmentWord(word: string): boolean {
  return attachmentWords.test(word)
}

type FactWords = Pick<Fact, 'subject' | 'text' | 'keywords'>

/** A fact's words without the subject's own, each once, in order. */
export function factTerms(fact: FactWords): readonly string[] {
  const own = new Set(terms(fact.subject))
  const found = terms(`${fact.text} ${fact.keywords.join(' ')}`).filter(
    (term) => !own.has(term) && !isAttachmentWord(term),
  )
  return [...new Set(found)].slice(0, maxTerms)
}

export type NearnessWeights = {
  /** The weight of a shared subject; a shared rare word has 1. */
  readonly subjectWeight: number
  /** The weight of a shared box. */
  readonly boxWeight: number
}

export interface Nearness {
  readonly document: string
  readonly score: number
}

/** Words of a title, with the kinds of things in its document, that are indexed. */
const maxTitleTerms = 32
/** The most documents that are weighed by their size. */
const maxWeighed = 24
/** A document of this size must share twice as much as an empty one. */
const sizeThatHalves = 10

/** The documents that share most with the fact, the best first. */
export function* nearestDocuments(fact: Fact, weights: NearnessWeights, limit: number): Effects<readonly Nearness[]> {
  const scores = new Map<string, number>()
  for (const { key, weight } of keysOf(fact, weights)) {
    const bucket = yield* get(buckets, key)
    if (bucket === null) continue
    // A match counts more if more entries of the document have the word, and less if more documents do.
    const rarity = weight / bucket.spread
    for (const [document, count] of bucket.documents) {
      scores.set(document, (scores.get(document) ?? 0) + (rarity * count) / (count + 0.5))
    }
  }
  const ranked = [...scores].sort(([, a], [, b]) => b - a).slice(0, maxWeighed)
  const near: Nearness[] = []
  for (const [document, score] of ranked) {
    const size = (yield* get(documents, document))?.entries ?? 0
    // A large document shares words with every fact, so its size lowers its score.
    near.push({ document, score: score / (1 + size / sizeThatHalves) })
  }
  return near.sort((a, b) => b.score - a.score || (a.document < b.document ? -1 : 1)).slice(0, limit)
}

export function* indexDocument(fact: Fact, weights: NearnessWeights, document: string): Effects<void> {
  const keys = keysOf(fact, weights).map(({ key }) => key)
  yield* indexKeys(keys, document)
}

/** Indexes a document by the words of its title, and of what it holds. */
export function* indexTitle(words: string, document: string): Effects<void> {
  yield* indexKeys([...new Set(terms(words))].slice(0, maxTitleTerms).map(termKey), document)
}

/** Documents with the word in an entry or in their title. */
export function* documentsWithTerm(term: string): Effects<readonly string[]> {
  return ((yield* get(buckets, termKey(term)))?.documents ?? []).map(([id]) => id)
}

function* indexKeys(keys: readonly string[], document: string): Effects<void> {
  for (const key of keys) {
    const { spread, documents } = (yield* get(buckets, key)) ?? { spread: 0, documents: [] }
    const known = documents.find(([id]) => id === document)
    const others = documents.filter(([id]) => id !== document)
    const kept = others.length < maxDocumentsInBucket ? others : withoutSmallest(others)
    yield* put(buckets, key, {
      spread: known ? spread : spread + 1,
      documents: [...kept, [document, (known?.[1] ?? 0) + 1]],
    })
  }
}

export interface PlacedEntry {
  readonly place: EntryRef
  readonly entry: Entry
}

/** Current entries about the same subject: those that share most words first, then the newest. */
export function* entriesOfSubject(
  fact: Fact,
  words: readonly string[],
  limit: number,
): Effects<readonly PlacedEntry[]> {
  const found = new Map<string, { readonly place: EntryRef; shared: number }>()
  for (const word of words) {
    for (const place of (yield* get(mentions, mentionKey(fact, word))) ?? []) {
      const known = found.get(place.entry)
      if (known) known.shared++
      else found.set(place.entry, { place, shared: 1 })
    }
  }
  const ranked = [...found.values()].sort((a, b) => b.shared - a.shared)
  const alive: PlacedEntry[] = []
  for (const { place } of ranked) {
    if (alive.length === limit) break
    const entry = yield* get(entries, entryKey(place))
    if (entry !== null) alive.push({ place, entry })
  }
  return alive
}

/**
 * Current entries about any subject that share words: a change may be stated about another subject (`Finance says the
 * budget …`).
 */
export function* entriesSharingWords(
  fact: Fact,
  words: readonly string[],
  limit: number,
): Effects<readonly PlacedEntry[]> {
  return yield* entriesOfSubject({ ...fact, subject: anySubject }, words, limit)
}

/** @param gone entries that this event retired; they leave the index */
export function* indexEntry(
  fact: FactWords,
  words: readonly string[],
  place: EntryRef,
  gone: ReadonlySet<string>,
): Effects<void> {
  for (const key of words.flatMap((word) => [mentionKey(fact, word), mentionKey({ subject: anySubject }, word)])) {
    const known = ((yield* get(mentions, key)) ?? []).filter((each) => !gone.has(each.entry))
    yield* put(mentions, key, [...known, place].slice(-maxMentions))
  }
}

function keysOf(fact: Fact, weights: NearnessWeights): readonly { readonly key: string; readonly weight: number }[] {
  return [
    { key: stateKeyOf(`subject ${fact.subject}`), weight: weights.subjectWeight },
    // A correction has no box.
    ...(fact.box === '' ? [] : [{ key: stateKeyOf(`box ${fact.box}`), weight: weights.boxWeight }]),
    ...factTerms(fact).map((term) => ({ key: termKey(term), weight: 1 })),
  ]
}

function termKey(term: string): string {
  return stateKeyOf(`term ${term}`)
}

/** No fact has this subject. */
const anySubject = '*'

function mentionKey(fact: Pick<FactWords, 'subject'>, word: string): string {
  return stateKeyOf(`${fact.subject}|${word}`)
}

const control = /\p{Cc}/u

/** A key of state: no control characters. */
export function stateKeyOf(key: string): string {
  const lower = key.toLowerCase()
  return control.test(lower) ? lower.replaceAll(/\p{Cc}/gu, ' ') : lower
}

/** The list without the document with the fewest entries; of several, without the least recently used one. */
function withoutSmallest(documents: readonly (readonly [string, number])[]): typeof documents {
  const fewest = Math.min(...documents.map(([, count]) => count))
  const at = documents.findIndex(([, count]) => count === fewest)
  return documents.filter((_, index) => index !== at)
}
