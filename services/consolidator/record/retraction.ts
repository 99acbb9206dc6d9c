/**
 * Removes a retracted fact from the documents: its entry ends as if it had never held, or is written again without the
 * fact if other facts state it too. Entries that the fact had ended stay ended, because no utterance says that they
 * hold again.
 */
import { type Effects, get, put } from '@loomlog/runtime/step'
import { takeFromBatch } from '../batch.ts'
import { byRules, type Changes, retireEntry, writeEntry } from '../changes.ts'
import { post } from '../documents/postings.ts'
import { documentsQuoting } from '../documents/quotations.ts'
import { factTerms, indexEntry, type PlacedEntry } from '../documents/term-index.ts'
import {
  currentPlace,
  type Entry,
  type EntryRef,
  entries,
  entryKey,
  maxSources,
  mergedInto,
  type PlacedFact,
  placedFacts,
  timelines,
} from '../state.ts'
import { saysMore } from './lossless-merges.ts'
import { highestRank, outranks } from './rank.ts'
import { withValue } from './timeline.ts'

/** The place of a retracted fact, for its replacement. */
export interface Vacancy {
  readonly document: string
  readonly heading: string
  readonly isOneOfSeveral: boolean
  readonly askedAs: readonly string[]
  /** Its heading in the profile. */
  readonly profileHeading: string | null
}

export function* retractFact(changes: Changes, fact: string): Effects<Vacancy | null> {
  yield* takeFromBatch(fact)
  const placed = yield* get(placedFacts, fact)
  yield* put(placedFacts, fact, 'retracted')
  if (placed === null || placed === 'retracted') return null
  const [place, twin] = [yield* currentPlace(placed.place), placed.twin && (yield* currentPlace(placed.twin))]
  for (const each of [place, twin]) if (each !== null) changes.cleaned.add(each.document)
  const entry = yield* get(entries, entryKey(place))
  const twinEntry = twin && (yield* get(entries, entryKey(twin)))
  const newTwin =
    twin && twinEntry ? yield* without(changes, fact, { place: twin, entry: twinEntry }) : (entry?.twin ?? null)
  if (entry === null) return null
  yield* without(changes, fact, { place, entry: { ...entry, twin: newTwin } })
  for (const quoting of yield* documentsQuoting(placed)) changes.cleaned.add(quoting)
  const { heading, isOneOfSeveral, askedAs } = entry
  return { document: place.document, heading, isOneOfSeveral, askedAs, profileHeading: twinEntry?.heading ?? null }
}

/** Retires the entry, and writes it again without the fact. Null: no other fact states it. */
function* without(changes: Changes, fact: string, { place, entry }: PlacedEntry): Effects<EntryRef | null> {
  if (!entry.facts.includes(fact)) return place
  const rest = yield* restOf(entry, fact)
  const written = rest === null ? null : yield* writeEntry(changes, place.document, rest, byRules)
  const how = { reason: 'retracted', validTo: entry.validFrom } as const
  yield* retireEntry(changes, { place, by: written, ...how }, byRules)
  yield* replaceValue(place, entry, written === null || rest === null ? null : { place: written, entry: rest })
  if (written === null || rest === null) return null
  yield* put(mergedInto, place.entry, written)
  // Only topic entries are compared with new facts; a profile entry is found through its twin.
  if (rest.kind === 'topic') {
    yield* indexEntry(rest, factTerms(rest), written, changes.gone)
    yield* post(rest, written, changes.gone)
  }
  return written
}

/**
 * The entry of the other facts, in the words of the newest fact with the highest rank, unless one of equal rank says
 * more.
 */
function* restOf(entry: Entry, fact: string): Effects<Entry | null> {
  const rest: (PlacedFact & { readonly id: string })[] = []
  for (const id of entry.facts) {
    const placed = id === fact ? null : yield* get(placedFacts, id)
    if (placed !== null && placed !== 'retracted') rest.push({ ...placed, id })
  }
  const [first, ...others] = rest.toReversed()
  if (first === undefined) return null
  const kept = others.reduce((best, each) => {
    const isKept = outranks(each.rank, best.rank) || (each.rank === best.rank && saysMore(each, best))
    return isKept ? each : best
  }, first)
  const { text, factKind, when, until, speaker, role, subject, keywords } = kept
  return {
    ...entry,
    text,
    factKind,
    when,
    until,
    speaker,
    role,
    subject,
    keywords,
    rank: highestRank(rest.map((each) => each.rank)),
    validFrom: Math.min(...rest.map((each) => each.validFrom)),
    saidAt: Math.max(...rest.map((each) => each.saidAt)),
    heldAt: Math.max(...rest.map((each) => each.heldAt)),
    facts: rest.map((each) => each.id),
    sources: [...new Set(rest.flatMap((each) => each.sources))].slice(-maxSources),
  }
}

/** Puts the entry that takes its place into the timeline of its slot; null: none does. */
export function* replaceValue(place: EntryRef, entry: Entry, by: PlacedEntry | null): Effects<void> {
  const before = entry.slot === null ? null : yield* get(timelines, entry.slot)
  if (before === null || entry.slot === null) return
  const others = before.filter((value) => value.place.entry !== place.entry)
  if (by === null) return yield* put(timelines, entry.slot, others.length === 0 ? null : others)
  const { twin, validFrom, heldAt, role, rank } = by.entry
  yield* put(timelines, entry.slot, withValue(others, { place: by.place, twin, validFrom, heldAt, role, rank }))
}
