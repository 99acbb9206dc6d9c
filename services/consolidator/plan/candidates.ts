/**
 * The current entries that the facts of a batch may touch, with any subject and in any document: by shared rare words,
 * by the likeness of the texts, and by the same subject and relation. The best of each fact come first.
 */

import { inverseDocumentFrequency } from '@loomlog/language/bm25'
import { terms } from '@loomlog/language/terms'
import { type Effects, get } from '@loomlog/runtime/step'
import { postingKeys } from '../documents/postings.ts'
import type { PlacedEntry } from '../documents/term-index.ts'
import { slotOf } from '../record/reconciliation.ts'
import { type EntryRef, entries, entryKey, type Fact, type Posting, postings, timelines } from '../state.ts'

/** The most entries that are found for a fact by its words, and of these the most that are compared with it. */
const maxFound = 400
const maxCompared = 40
/** Entries with a lower score share little with the fact. */
const leastScore = 0.8
/** A long entry shares words with more facts. */
const lengthOffset = 6
const likenessWeight = 4
/** The bonus of the same subject and relation, and of the same slot. */
const matterBonus = 2

export interface Candidate extends PlacedEntry {
  readonly score: number
}

/** @returns for each fact its candidates, the best first */
export function* candidatesOf(facts: readonly Fact[]): Effects<readonly (readonly Candidate[])[]> {
  const lookups: Lookups = new Map()
  const ranked: (readonly Candidate[])[] = []
  for (const fact of facts) ranked.push(yield* candidatesOfFact(fact, lookups))
  return ranked
}

function* candidatesOfFact(fact: Fact, lookups: Lookups): Effects<readonly Candidate[]> {
  const scores = yield* wordScores(fact, lookups)
  const slot = slotOf(fact)
  const ofSlot = new Set<string>()
  for (const { place } of (slot === null ? null : yield* get(timelines, slot)) ?? []) {
    ofSlot.add(place.entry)
    scores.set(place.entry, { place, score: scores.get(place.entry)?.score ?? 0, bonus: matterBonus })
  }
  const nearest = [...scores.values()].sort((a, b) => b.score + b.bonus - a.score - a.bonus).slice(0, maxCompared)
  const found: Candidate[] = []
  for (const { place, score, bonus } of nearest) {
    const entry = yield* get(entries, entryKey(place))
    if (entry === null) continue
    const shared = score / Math.sqrt(lengthOffset + new Set(terms(entry.text)).size)
    const total = shared + likenessWeight * likeness(fact.text, entry.text) + bonus
    if (total >= leastScore) found.push({ place, entry, score: total })
  }
  return found.sort((a, b) => b.score - a.score)
}

interface WordScore {
  readonly place: EntryRef
  readonly score: number
  readonly bonus: number
}

/** The rarest words are read first, so that the bound keeps the entries that matter. */
function* wordScores(fact: Fact, lookups: Lookups): Effects<Map<string, WordScore>> {
  const total = (yield* lookUp(lookups, ''))?.spread ?? 0
  const found: { readonly key: string; readonly rarity: number; readonly posting: Posting }[] = []
  for (const key of postingKeys(fact)) {
    const posting = yield* lookUp(lookups, key)
    if (posting !== null) found.push({ key, posting, rarity: inverseDocumentFrequency(posting.spread, total) })
  }
  const scores = new Map<string, WordScore>()
  for (const { key, rarity, posting } of found.sort((a, b) => b.rarity - a.rarity)) {
    const isMatter = key.startsWith('relation ')
    for (const place of posting.places.toReversed()) {
      const known = scores.get(place.entry)
      if (known === undefined && scores.size >= maxFound) continue
      const { score = 0, bonus = 0 } = known ?? {}
      scores.set(place.entry, {
        place,
        score: score + (isMatter ? 0 : rarity),
        bonus: isMatter ? matterBonus : bonus,
      })
    }
  }
  return scores
}

/** The postings that a batch has read: its facts share words. */
type Lookups = Map<string, Posting | null>

function* lookUp(lookups: Lookups, key: string): Effects<Posting | null> {
  const known = lookups.get(key)
  if (known !== undefined) return known
  const posting = yield* get(postings, key)
  lookups.set(key, posting)
  return posting
}

/** The cosine of the sets of four letters in a row, in the stems of both texts. */
function likeness(a: string, b: string): number {
  const [one, other] = [lettersOf(a), lettersOf(b)]
  let shared = 0
  for (const four of one) if (other.has(four)) shared++
  return shared / Math.sqrt(Math.max(1, one.size) * Math.max(1, other.size))
}

function lettersOf(text: string): ReadonlySet<string> {
  const stems = terms(text).join(' ')
  return new Set(Array.from({ length: Math.max(0, stems.length - 3) }, (_, at) => stems.slice(at, at + 4)))
}
