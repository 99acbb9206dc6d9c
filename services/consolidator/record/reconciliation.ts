/**
 * Finds the entries that a new fact repeats, and those that it replaces: by the plan of its batch, or by rules. With a
 * plan, the rules find only repetitions in nearly the same words, and other values of the fact's slot in the same
 * document. Without one they also find changes, of other subjects too: `Finance says the budget went from 80k to 65k`
 * replaces `Priya's budget is 80k`.
 */

import { messagesChangedBy, type ParsedMessage, parseMessage } from '@loomlog/language/change'
import { functionalRelation } from '@loomlog/language/relations'
import { type Effects, get } from '@loomlog/runtime/step'
import { byRules, type Decision } from '../changes.ts'
import { isoDay } from '../days.ts'
import { entriesOfSubject, entriesSharingWords, type PlacedEntry } from '../documents/term-index.ts'
import { reconcileByRules, type Statement } from '../local.ts'
import { type Guidance, namedEntries } from '../plan/guidance.ts'
import { documents, type Entry, entries, entryKey, type Fact, timelines, unsorted } from '../state.ts'
import { maxCompared } from '../tasks.ts'
import { losslessMerges } from './lossless-merges.ts'
import { isInterrupted } from './timeline.ts'

export interface Reconciliation {
  /** Entries that the fact repeats: they are merged with it. */
  readonly same: readonly PlacedEntry[]
  /** The number of repetitions that are not merged, because the merged entry would lose words. */
  readonly refused: number
  /** Entries that can't hold beside the fact. Event time decides which of the two is outdated. */
  readonly replaces: readonly PlacedEntry[]
  /** Entries that end by the plan. */
  readonly ends: readonly PlacedEntry[]
  /** The slot of the fact; null: none. */
  readonly slot: string | null
  readonly decided: Decision
}

interface ReconcileOptions {
  readonly sameShare: number
  /** The decisions of a plan; null: the rules decide alone. */
  readonly guidance: Guidance | null
  /** By a plan: the fact's document. An equal subject in another one may be somebody else. Null: any document. */
  readonly topic: string | null
}

export function* reconcile(
  fact: Fact,
  words: readonly string[],
  { sameShare, guidance, topic }: ReconcileOptions,
): Effects<Reconciliation> {
  const slot = slotOf(fact)
  const rivals = yield* rivalsOf(fact, words, slot)
  const planned = guidance ? yield* namedEntries(guidance.ends) : []
  const verdict = reconcileByRules(
    statement({ ...fact, slot, factKind: fact.kind, validFrom: validFrom(fact) }),
    rivals,
    sameShare,
  )
  const repeated = unique([...(guidance ? yield* namedEntries(guidance.same) : []), ...verdict.same]).filter(
    (rival) => !isAmong(rival, planned),
  )
  const merged = losslessMerges(fact, repeated)
  const refused = repeated.filter((rival) => !isAmong(rival, merged))
  // A value of the slot that the fact can't be merged with, because each says something else, is another value.
  const ofSlot: PlacedEntry[] = []
  for (const rival of [...verdict.replaces, ...refused, ...planned]) {
    if (slot === null || rival.entry.slot !== slot) continue
    if (isAmong(rival, planned) || (yield* isBeside(rival, topic))) ofSlot.push(rival)
  }
  const changed = guidance ? [] : yield* entriesChangedBy(fact, words, rivals)
  const apart = yield* interruptedOf(merged, heldAt(fact))
  const same = merged.filter((rival) => !apart.has(rival))
  const replaces = unique([...ofSlot, ...changed].filter((rival) => !isAmong(rival, merged)).concat([...apart]))
  const ends = planned.filter((rival) => !isAmong(rival, replaces))
  // If two values of the slot hold together, the fact is no value of the slot.
  const joins =
    rivals.every(({ entry }) => entry.slot !== slot) || [...same, ...replaces].some(({ entry }) => entry.slot === slot)
  const decided = guidance?.decided ?? byRules
  return { same, replaces, ends, refused: refused.length, slot: joins ? slot : null, decided }
}

function* isBeside({ place }: PlacedEntry, topic: string | null): Effects<boolean> {
  if (topic === null || place.document === topic || place.document === unsorted) return true
  const [one, other] = [yield* get(documents, place.document), yield* get(documents, topic)]
  return one !== null && one.first === other?.first
}

function unique(placed: readonly PlacedEntry[]): readonly PlacedEntry[] {
  return placed.filter((each, index) => !isAmong(each, placed.slice(0, index)))
}

function isAmong({ place }: PlacedEntry, others: readonly PlacedEntry[]): boolean {
  return others.some((other) => other.place.entry === place.entry)
}

/** The time from which the fact holds; an arrangement (the talk is on 7 May) holds from the time of its utterance. */
export function validFrom(fact: Fact): number {
  return isArrangement(fact) ? fact.saidAt : (fact.when?.from ?? fact.saidAt)
}

/**
 * The longest stretch that dates the beginning of a state. A longer one that is over, such as `in 2021`, is the time
 * for which the state held.
 */
const maxBeginningMs = 31 * 86_400_000

/**
 * The last time for which the fact is attested: the utterance's time, or the event's if it was over by then. A state
 * with the date of its beginning (`lives in Linz`, since last week) holds at the time of its utterance, so it wins over
 * a state from an earlier utterance, regardless of that one's date.
 */
export function heldAt(fact: Fact): number {
  const { when, saidAt, kind, attestedAt } = fact
  if (attestedAt !== undefined) return attestedAt
  if (when === null || isArrangement(fact)) return saidAt
  const isBeginning = when.to - when.from <= maxBeginningMs && (kind !== 'event' || slotOf(fact) === null)
  return when.to < saidAt && !isBeginning ? when.from : Math.max(when.from, saidAt)
}

/** The slot of the fact; null: it has none. */
export function slotOf(fact: Fact): string | null {
  return functionalRelation({ ...fact, tense: 'present' })?.slot ?? null
}

function isArrangement(fact: Fact): boolean {
  return functionalRelation({ ...fact, tense: 'present' })?.holdsFrom === 'its utterance'
}

/** By rules: the rivals, and entries about other subjects, that the fact says have changed. */
function* entriesChangedBy(
  fact: Fact,
  words: readonly string[],
  rivals: readonly PlacedEntry[],
): Effects<readonly PlacedEntry[]> {
  const later = { speaker: fact.speaker, at: fact.saidAt, read: parseMessage(fact.text) }
  if (later.read.changes.length === 0) return []
  const known = new Set(rivals.map(({ place }) => place.entry))
  const others = (yield* entriesSharingWords(fact, words, maxCompared)).filter(({ place }) => !known.has(place.entry))
  const compared = [...rivals, ...others].map((placed) => {
    const { speaker, heldAt } = placed.entry
    return { placed, speaker, at: heldAt, read: readEntry(placed.entry) }
  })
  return messagesChangedBy(
    later,
    compared.toSorted((a, b) => a.at - b.at),
  ).map(({ placed }) => placed)
}

/** A cache by entry: facts on one subject are compared with the same entries. */
const readings = new WeakMap<Entry, ParsedMessage>()

function readEntry(entry: Entry): ParsedMessage {
  const known = readings.get(entry)
  if (known) return known
  const read = parseMessage(entry.text)
  readings.set(entry, read)
  return read
}

/** The current values of the slot first, then the entries that share most words. */
function* rivalsOf(fact: Fact, words: readonly string[], slot: string | null): Effects<readonly PlacedEntry[]> {
  const rivals: PlacedEntry[] = []
  for (const { place } of (slot === null ? null : yield* get(timelines, slot))?.toReversed() ?? []) {
    const entry = yield* get(entries, entryKey(place))
    if (entry !== null && rivals.length < maxCompared) rivals.push({ place, entry })
  }
  for (const rival of yield* entriesOfSubject(fact, words, maxCompared)) {
    const known = rivals.some(({ place }) => place.entry === rival.place.entry)
    if (!known && rivals.length < maxCompared) rivals.push(rival)
  }
  return rivals
}

/** Repetitions with another value in between (away and back): the same words, but another time span. */
function* interruptedOf(repeated: readonly PlacedEntry[], at: number): Effects<ReadonlySet<PlacedEntry>> {
  const apart = new Set<PlacedEntry>()
  for (const rival of repeated) {
    const timeline = (rival.entry.slot === null ? null : yield* get(timelines, rival.entry.slot)) ?? []
    if (isInterrupted(timeline, rival.place.entry, at)) apart.add(rival)
  }
  return apart
}

function statement(entry: Pick<Entry, 'text' | 'factKind' | 'slot' | 'validFrom'>): Statement {
  const { text, factKind, slot, validFrom: from } = entry
  return { text, kind: factKind, slot: slot?.startsWith('~') ? null : slot, from: isoDay(from) }
}
