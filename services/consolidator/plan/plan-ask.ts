/**
 * The content of an ask for a plan: the facts of a batch, the documents that they may concern, and the current entries
 * that they may change. Its size grows with the facts, not with the memory.
 */

import { closingTime } from '@loomlog/language/closing-time'
import { approximateTokens } from '@loomlog/language/tokens'
import { type Effects, get, range } from '@loomlog/runtime/step'
import { isoDay } from '../days.ts'
import type { NearnessWeights, PlacedEntry } from '../documents/term-index.ts'
import { validFrom } from '../record/reconciliation.ts'
import { documents, type Entry, entries, type Fact } from '../state.ts'
import type { BatchInput, ShownDocument, ShownEntry } from '../task-types.ts'
import { type Candidate, candidatesOf } from './candidates.ts'
import { holdsOf, type Offer, offeredDocuments } from './catalogue.ts'

export type AskParameters = NearnessWeights & {
  /** The tokens of current entries in an ask, for each fact of the batch. */
  readonly shownTokensPerFact: number
}

/** The tokens of current entries in the ask of a small batch. */
const leastShownTokens = 280
/**
 * The most candidates of each fact, and the share of these tokens up to which they are shown. A change is likely to end
 * an entry: its candidates come first. The rest shows near documents whole.
 */
const rounds = { changes: { candidates: 4, share: 0.9 }, others: { candidates: 1, share: 1 } } as const
/** After the best two, a candidate is shown if it has this share of the best one's score. */
const leastOfBest = 0.5
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
    facts.map(({ isChange }, index) => ({ isChange, candidates: ranked[index] ?? [] })),
    offers,
    Math.max(leastShownTokens, facts.length * parameters.shownTokensPerFact),
  )
  return askOf(facts, yield* shelfOf(offers, shown, facts.length * catalogueTokensPerFact), shown)
}

type EntriesByLabel = ReadonlyMap<string, PlacedEntry>

interface RankedFact {
  readonly isChange: boolean
  readonly candidates: readonly Candidate[]
}

/**
 * Round by round the next best candidate of each fact, those of changes first, then the other entries of the nearest
 * documents.
 */
function* shownEntries(
  ranked: readonly RankedFact[],
  offers: readonly Offer[],
  budget: number,
): Effects<EntriesByLabel> {
  const shown = new Map<string, PlacedEntry>()
  let used = 0
  const add = (placed: PlacedEntry, most: number) => {
    const { time, text } = timed(placed.entry)
    const tokens = approximateTokens(`e00 ${time} ${placed.entry.heading}: ${text}`)
    if (shown.has(placed.place.entry) || used + tokens > most) return
    used += tokens
    shown.set(placed.place.entry, { place: placed.place, entry: placed.entry })
  }
  for (const [of, { candidates: most, share }] of [
    [ranked.filter(({ isChange }) => isChange), rounds.changes],
    [ranked.filter(({ isChange }) => !isChange), rounds.others],
  ] as const) {
    for (let round = 0; round < most; round++) {
      for (const { candidates } of of) {
        const next = candidates[round]
        const isNear = round < 2 || (next?.score ?? 0) >= leastOfBest * (candidates[0]?.score ?? 0)
        if (next && isNear) add(next, budget * share)
      }
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
      byLabel.set(`e${byLabel.size + 1}`, placed)
      return { label: `e${byLabel.size}`, heading: placed.entry.heading, ...timed(placed.entry) }
    })
    return { label, title: document.title, holds: holdsOf(document), entries: rows }
  })
  const rows = facts.map((fact, index) => {
    const { kind, role, speaker, text, isChange } = fact
    // The words of an agent are marked, so that they don't pass for a person's.
    const by = role === 'human' ? null : `${role} ${speaker}`
    return { label: factLabel(index), isChange, kind, by, ...timed({ text, validFrom: validFrom(fact) }) }
  })
  return { facts, documents: labels, entries: byLabel, input: { documents: described, facts: rows } }
}

/** The time that closes the text, apart from it. */
function timed({ text, validFrom: from }: Pick<Entry, 'text' | 'validFrom'>): {
  readonly time: string
  readonly text: string
} {
  const found = closingTime(text)
  return found === null ? { time: isoDay(from), text } : { time: found.time, text: found.sentence }
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
