/**
 * The index of entries for plans: from each word, subject and relation to the newest entries with it, about any
 * subject. A rare word leads to all its entries in a memory of any size; a frequent one to the newest, and it counts
 * little. Only recipes with a model keep it.
 */

import { terms } from '@loomlog/language/terms'
import { type Effects, get, isAskedOfModel, put } from '@loomlog/runtime/step'
import {
  type Entry,
  type EntryRef,
  entries,
  entryKey,
  type Fact,
  maxPostings,
  type Posting,
  postings,
} from '../state.ts'
import { consolidateBatch } from '../tasks.ts'
import { stateKeyOf } from './term-index.ts'

/** The most words of an entry, or of a fact, that are indexed and looked up. */
const maxWords = 24

type IndexedWords = Pick<Entry, 'text' | 'subject' | 'keywords'> &
  Partial<Pick<Entry, 'heading'> & Pick<Fact, 'relation' | 'persons' | 'entities'>>

/** The keys of an entry or a fact; the distinct words of its text come first. */
export function postingKeys(given: IndexedWords): readonly string[] {
  const { text, subject, keywords, heading = '', relation = null, persons = [], entities = [] } = given
  const words = terms([text, ...keywords, ...persons, ...entities, heading].join(' '))
  const matter = relation === null ? [] : [stateKeyOf(`relation ${subject}|${relation}`)]
  return [stateKeyOf(`subject ${subject}`), ...matter, ...[...new Set(words)].slice(0, maxWords).map(stateKeyOf)]
}

/** @param gone entries that this event retired; they leave the index */
export function* post(given: IndexedWords, place: EntryRef, gone: ReadonlySet<string>): Effects<void> {
  if (!(yield* isAskedOfModel(consolidateBatch))) return
  for (const key of ['', ...postingKeys(given)]) {
    const { spread, places } = (yield* get(postings, key)) ?? { spread: 0, places: [] }
    const others = key === '' ? [] : [...(yield* withRoom(places.filter(({ entry }) => !gone.has(entry)))), place]
    yield* put(postings, key, { spread: spread + 1, places: others })
  }
}

/** Entries that ended make room before current ones do. */
function* withRoom(places: Posting['places']): Effects<Posting['places']> {
  if (places.length < maxPostings) return places
  const current: EntryRef[] = []
  for (const place of places) if ((yield* get(entries, entryKey(place))) !== null) current.push(place)
  return current.slice(1 - maxPostings)
}
