/**
 * The content of an ask for a plan: the facts of a batch, the documents that they may concern, and the current entries that they may change.
 * Its size grows with the facts, not with the memory.
 */

import { approximateTokens } from '@loomlog/language/tokens'
import { type Effects, get, range } from '@loomlog/runtime/step'
import { type Candidate, candidatesOf } from './candidates.ts'
import { holdsOf, type Offer, offeredDocuments } from './catalogue.ts'
import { isoDay } from './days.ts'
import { validFrom } from './reconciliation.ts'
import { documents, type Entry, entries, type Fact } from './state.ts'
import type { BatchInput, ShownDocument, ShownEntry } from './task-types.ts'
import type { NearnessWeights, PlacedEntry } from './term-index.ts'

export type AskParameters = NearnessWeights & {
  /** The tokens of current entries in an ask, for each fact of the batch. */
  readonly shownTokensPerFact: number
}

/** The tokens of current entries in the ask of a small batch. */
const leastShownTokens = 280
/** The share of these tokens for the best candidates of each fact; the rest shows near documents whole. */
const candidateShare = 0.7
/** The most candidates that one fact shows. */
const candidatesOfFact = 5
/** The tokens of documents without a shown entry, for each fact. */
const catalogueTokensPerFact = 16
/** The most entries of a document that are shown whole. */
const maxWhole = 60

export interface PlanAsk {
  readonly facts: readonly Fact[]
  /** By label. */
  readonly documents: ReadonlyMap<string, string>
  readonly entries: ReadonlyMap<string, PlacedEntry>
  readonly input: BatchInput
}

/** @param given in any order; the ask has them in the order of their utterances */
export function* planAskFor(given: readonly Fact[], parameters: AskParameters): Effects<PlanAsk> {
  const facts = given.toSorted((a, b) => a.saidAt - b.saidAt)
  const ranked = yield* candidatesOf(facts)
  const offers = yield* offeredDocuments(facts, ranked, parameters)
  const shown = yield* shownEntries(
    ranked,
    offers,
    Math.max(leastShownTokens, facts.length * parameters.shownTokensPerFact),
  )
  return askOf(facts, yield* shelfOf(offers, shown, facts.length * catalogueTokensPerFact), shown)
}

type EntriesByLabel = ReadonlyMap<string, PlacedEntry>

/** Round by round the next best candidate of each fact, then the other entries of the nearest documents. */
function* shownEntries(
  ranked: readonly (readonly Candidate[])[],
  offers: readonly Offer[],
  budget: number,
): Effects<EntriesByLabel> {
  const shown = new Map<string, PlacedEntry>()
  let used = 0
  const add = (placed: PlacedEntry, most: number) => {
    const tokens = approximateTokens(`e00 0000-00-00 ${placed.entry.heading}: ${placed.entry.text}`)
    if (shown.has(placed.place.entry) || used + tokens > most) return
    used += tokens
    shown.set(placed.place.entry, { place: placed.place, entry: placed.entry })
  }
  for (let round = 0; round < candidatesOfFact; round++) {
    for (const candidates of ranked) {
      const next = candidates[round]
      if (next) add(next, budget * candidateShare)
    }
  }
  for (const { id } of offers) {
    if (used >= budget) break
    const held = yield* range(entries, `${id}/`, maxWhole)
    for (const [key, entry] of held.toSorted(([, a], [, b]) => b.validFrom - a.validFrom)) {
      add({ place: { document: id, entry: key.slice(id.length + 1) }, entry }, budget)
    }
  }
  return shown
}

/** The documents of the shown entries, and others while there is room. */
function* shelfOf(offers: readonly Offer[], shown: EntriesByLabel, budget: number): Effects<readonly Offer[]> {
  const needed = new Set([...shown.values()].map(({ place }) => place.document))
  const kept: Offer[] = []
  let used = 0
  for (const offer of offers) {
    const tokens = approximateTokens(`d0 ${offer.document.title} | ${holdsOf(offer.document)}`)
    if (!needed.has(offer.id) && (used + tokens > budget || offer.document.part > 1)) continue
    if (!needed.has(offer.id)) used += tokens
    kept.push(offer)
    needed.delete(offer.id)
  }
  for (const id of needed) {
    const document = yield* get(documents, id)
    if (document !== null) kept.push({ id, document })
  }
  return kept
}

function askOf(facts: readonly Fact[], offers: readonly Offer[], shown: EntriesByLabel): PlanAsk {
  const [labels, byLabel] = [new Map<string, string>(), new Map<string, PlacedEntry>()]
  const described = offers.map(({ id, document }, index): ShownDocument => {
    const label = `d${index + 1}`
    labels.set(label, id)
    const own = [...shown.values()].filter(({ place }) => place.document === id).sort(byHeading)
    const rows = own.map((placed): ShownEntry => {
      const { heading, text, validFrom: from } = placed.entry
      byLabel.set(`e${byLabel.size + 1}`, placed)
      return { label: `e${byLabel.size}`, day: isoDay(from), heading, text }
    })
    return { label, title: document.title, holds: holdsOf(document), entries: rows }
  })
  const rows = facts.map((fact, index) => {
    const { kind, role, speaker, text } = fact
    // The words of an agent are marked, so that they don't pass for a person's.
    const by = role === 'human' ? null : `${role} ${speaker}`
    return { label: factLabel(index), day: isoDay(validFrom(fact)), kind, by, text }
  })
  return { facts, documents: labels, entries: byLabel, input: { documents: described, facts: rows } }
}

function byHeading({ entry: a }: PlacedEntry, { entry: b }: PlacedEntry): number {
  return orderOf(a) < orderOf(b) ? -1 : 1
}

function orderOf({ heading, validFrom: from, text }: Entry): string {
  return `${heading.toLowerCase()} ${isoDay(from)} ${text}`
}

export function factLabel(index: number): string {
  return `f${index + 1}`
}
