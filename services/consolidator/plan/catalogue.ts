/**
 * The topic documents that a batch may concern, by relevance: those with near entries, those that share words, then the
 * last ones that plans used.
 */

import { type Effects, get, put } from '@loomlog/runtime/step'
import { type NearnessWeights, nearestDocuments } from '../documents/term-index.ts'
import { type Document, documents, type Fact, maxShelved, shelf } from '../state.ts'
import type { Candidate } from './candidates.ts'

/** The most documents in an ask. */
const maxOffered = 40
/** The most documents that one fact adds by its words. */
const documentsOfFact = 6
/** The weight of a document that shares words, beside one with a near entry. */
const wordsWeight = 0.5
/** A batch without near documents is offered this many of the last ones. */
const leastOffered = 10

export interface Offer {
  readonly id: string
  readonly document: Document
}

/** @param ranked the candidates of each fact */
export function* offeredDocuments(
  facts: readonly Fact[],
  ranked: readonly (readonly Candidate[])[],
  weights: NearnessWeights,
): Effects<readonly Offer[]> {
  const scores = new Map<string, number>()
  const add = (id: string, score: number) => scores.set(id, (scores.get(id) ?? 0) + score * score)
  for (const [index, fact] of facts.entries()) {
    const best = new Map<string, number>()
    for (const { place, score } of ranked[index] ?? []) {
      best.set(place.document, Math.max(score, best.get(place.document) ?? 0))
    }
    for (const [id, score] of best) add(id, score)
    for (const near of yield* nearestDocuments(fact, weights, documentsOfFact)) {
      add(near.document, wordsWeight * near.score)
    }
  }
  const relevant = [...scores].sort(([, a], [, b]) => b - a).map(([id]) => id)
  const recent = ((yield* get(shelf, '')) ?? []).slice(0, Math.max(0, leastOffered - relevant.length))
  const offers: Offer[] = []
  for (const id of new Set([...relevant, ...recent])) {
    const document = yield* get(documents, id)
    const isOpen = document?.kind === 'topic' && (document.entries > 0 || holdsOf(document) !== '')
    if (document && isOpen && offers.length < maxOffered) offers.push({ id, document })
  }
  return offers
}

/** The kinds of things in a document, as a model named them. A summary by rules quotes values. */
export function holdsOf({ describedBy, summary }: Document): string {
  return describedBy === 'rules' ? '' : summary
}

/** Puts the documents of a batch in front. */
export function* shelve(used: readonly string[]): Effects<void> {
  const known = (yield* get(shelf, '')) ?? []
  yield* put(shelf, '', [...new Set([...used, ...known])].slice(0, maxShelved))
}
