/**
 * Takes a fact out of the documents: its entry ends as if it had never held, or is written again without it where other facts say
 * the same. What it had ended stays ended: nobody said that it holds again.
 */
import { type Effects, get, put } from '@loomlog/runtime/step'
import { noteEntry, telling } from './buckets.ts'
import { byRules, type Changes, retireEntry, writeEntry } from './changes.ts'
import { highest, outranks } from './rank.ts'
import {
  type Entry,
  entries,
  entryKey,
  maxSources,
  mergedInto,
  type Place,
  type PlacedFact,
  placedFacts,
  timelines,
} from './state.ts'
import { insert } from './timeline.ts'

/** Where a retracted fact stood: what takes its place stands there too. Null: it stood nowhere. */
export interface Vacancy {
  readonly document: string
  readonly heading: string
  /** Its heading in the profile. */
  readonly profileHeading: string | null
}

/** Entries that one was merged into after the other, at most. */
const maxMerges = 10_000

export function* retractFact(changes: Changes, fact: string): Effects<Vacancy | null> {
  const placed = yield* get(placedFacts, fact)
  yield* put(placedFacts, fact, 'retracted')
  if (placed === null || placed === 'retracted') return null
  const [place, twin] = [yield* now(placed.place), placed.twin && (yield* now(placed.twin))]
  for (const each of [place, twin]) if (each !== null) changes.cleaned.add(each.document)
  const entry = yield* get(entries, entryKey(place))
  const told = twin && (yield* get(entries, entryKey(twin)))
  const newTwin = twin && told ? yield* without(changes, fact, { place: twin, entry: told }) : (entry?.twin ?? null)
  if (entry !== null) yield* without(changes, fact, { place, entry: { ...entry, twin: newTwin } })
  if (entry === null) return null
  return { document: place.document, heading: entry.heading, profileHeading: told?.heading ?? null }
}

/** The entry that says now what this one said. */
function* now(place: Place): Effects<Place> {
  let at = place
  for (let merges = 0; merges < maxMerges; merges++) {
    const next: Place | null = yield* get(mergedInto, at.entry)
    if (next === null) break
    at = next
  }
  return at
}

interface Standing {
  readonly place: Place
  readonly entry: Entry
}

/** The entry without the fact; null where nothing is left of it. */
function* without(changes: Changes, fact: string, { place, entry }: Standing): Effects<Place | null> {
  if (!entry.facts.includes(fact)) return place
  const rest = yield* restOf(entry, fact)
  const written = rest === null ? null : yield* writeEntry(changes, place.document, rest, byRules)
  const how = { reason: 'retracted', validTo: entry.validFrom } as const
  yield* retireEntry(changes, { place, by: written, ...how }, byRules)
  yield* replaceValue(place, entry, written === null || rest === null ? null : { place: written, entry: rest })
  if (written === null || rest === null) return null
  yield* put(mergedInto, place.entry, written)
  // A statement in a profile is found through its twin, and is compared with no new fact itself.
  if (rest.kind === 'topic') yield* noteEntry(rest, telling(rest), written, changes.gone)
  return written
}

/** What the other facts of the entry say, in the words of the newest of those that count most. */
function* restOf(entry: Entry, fact: string): Effects<Entry | null> {
  const rest: (PlacedFact & { readonly id: string })[] = []
  for (const id of entry.facts) {
    const placed = id === fact ? null : yield* get(placedFacts, id)
    if (placed !== null && placed !== 'retracted') rest.push({ ...placed, id })
  }
  const [first, ...others] = rest.toReversed()
  if (first === undefined) return null
  const said = others.reduce((best, each) => (outranks(each.rank, best.rank) ? each : best), first)
  const { text, factKind, when, speaker, role, subject, keywords } = said
  return {
    ...entry,
    ...{ text, factKind, when, speaker, role, subject, keywords },
    rank: highest(rest.map((each) => each.rank)),
    validFrom: Math.min(...rest.map((each) => each.validFrom)),
    heldAt: Math.max(...rest.map((each) => each.heldAt)),
    facts: rest.map((each) => each.id),
    sources: [...new Set(rest.flatMap((each) => each.sources))].slice(-maxSources),
  }
}

function* replaceValue(place: Place, entry: Entry, by: Standing | null): Effects<void> {
  const before = entry.slot === null ? null : yield* get(timelines, entry.slot)
  if (before === null || entry.slot === null) return
  const others = before.filter((value) => value.place.entry !== place.entry)
  if (by === null) return yield* put(timelines, entry.slot, others.length === 0 ? null : others)
  const { twin, validFrom, heldAt, role, rank } = by.entry
  yield* put(timelines, entry.slot, insert(others, { place: by.place, twin, validFrom, heldAt, role, rank }))
}
