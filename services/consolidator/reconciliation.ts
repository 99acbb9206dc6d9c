/**
 * Finds the entries that a new fact repeats, and those that it replaces. A model compares only entries about the same subject, so it can't
 * retire unrelated ones. The rules for changes hold with any model, and for entries about other subjects too: `Finance says the budget went from
 * 80k to 65k` replaces `Priya's budget is 80k`.
 */

import { changes, readMessage } from '@loomlog/language/change'
import { functionalRelation } from '@loomlog/language/relations'
import { ask, type Effects, get } from '@loomlog/runtime/step'
import type { FactRecorded } from '@loomlog/schemas/events'
import { entriesSharingWords, mentionedEntries, type PlacedEntry } from './buckets.ts'
import { byRules, type Decision } from './changes.ts'
import { reconcileByRules } from './local.ts'
import { type Entry, entries, entryKey, timelines } from './state.ts'
import type { ReconcileInput, Statement } from './task-types.ts'
import { maxCompared, reconcileEntry } from './tasks.ts'
import { interrupted } from './timeline.ts'

export interface Reconciliation {
  /** Entries that the fact repeats: they are merged with it. */
  readonly same: readonly PlacedEntry[]
  /** Entries that can't hold beside the fact. Event time decides which of the two is outdated. */
  readonly replaces: readonly PlacedEntry[]
  /** The slot of the fact; null: none. */
  readonly slot: string | null
  readonly decided: Decision
}

export function* reconcile(fact: FactRecorded, words: readonly string[], sameShare: number): Effects<Reconciliation> {
  const slot = slotOf(fact)
  const rivals = yield* rivalsOf(fact, words, slot)
  const changed = yield* changedBy(fact, words, rivals)
  if (rivals.length === 0) return { same: [], replaces: changed, slot, decided: byRules }
  const input: ReconcileInput = {
    fact: statement({ ...fact, slot, factKind: fact.kind, validFrom: validFrom(fact) }),
    entries: rivals.map(({ entry }, index) => ({ label: `e${index + 1}`, ...statement(entry) })),
  }
  const answer = yield* ask(reconcileEntry, input)
  const verdict = answer.kind === 'answer' ? answer.value : reconcileByRules(input, sameShare)
  const decided = answer.kind === 'answer' ? answer : { ...byRules, completions: answer.completions }
  const named = (labels: readonly string[]) => rivals.filter((_, index) => labels.includes(`e${index + 1}`))
  const repeated = named(verdict.same)
  const apart = yield* interruptedOf(repeated, heldAt(fact))
  const same = repeated.filter((rival) => !apart.has(rival))
  const replaced = new Set([...named(verdict.replaces), ...changed])
  const replaces = [...[...replaced].filter((rival) => !repeated.includes(rival)), ...apart]
  // If the answer lets two values of the slot hold together, the fact is no value of the slot.
  const joins =
    rivals.every(({ entry }) => entry.slot !== slot) || [...same, ...replaces].some(({ entry }) => entry.slot === slot)
  return { same, replaces, slot: joins ? slot : null, decided }
}

/** The time from which the fact holds; an arrangement (the talk is on 7 May) holds from the time of its utterance. */
export function validFrom(fact: FactRecorded): number {
  return isArrangement(fact) ? fact.saidAt : (fact.when?.from ?? fact.saidAt)
}

/** The longest stretch that dates the beginning of a state. A longer one that is over, such as `in 2021`, is the time for which the state held. */
const maxBeginningMs = 31 * 86_400_000

/**
 * The last time for which the fact is attested: the utterance's time, or the event's if it was over by then. A state with the date of its beginning
 * (`lives in Linz`, since last week) holds at the time of its utterance, so it wins over a state from an earlier utterance, regardless of that one's date.
 */
export function heldAt(fact: FactRecorded): number {
  const { when, saidAt, kind } = fact
  if (when === null || isArrangement(fact)) return saidAt
  const isBeginning = when.to - when.from <= maxBeginningMs && (kind !== 'event' || slotOf(fact) === null)
  return when.to < saidAt && !isBeginning ? when.from : Math.max(when.from, saidAt)
}

function slotOf(fact: FactRecorded): string | null {
  return functionalRelation({ ...fact, tense: 'present' })?.slot ?? null
}

function isArrangement(fact: FactRecorded): boolean {
  return functionalRelation({ ...fact, tense: 'present' })?.holdsFrom === 'its utterance'
}

/** Entries that the fact says are changed, by rules: the rivals, and entries about other subjects. */
function* changedBy(
  fact: FactRecorded,
  words: readonly string[],
  rivals: readonly PlacedEntry[],
): Effects<readonly PlacedEntry[]> {
  const later = { speaker: fact.speaker, at: fact.saidAt, read: readMessage(fact.text) }
  if (later.read.changes.length === 0) return []
  const known = new Set(rivals.map(({ place }) => place.entry))
  const others = (yield* entriesSharingWords(fact, words, maxCompared)).filter(({ place }) => !known.has(place.entry))
  return [...rivals, ...others].filter(({ entry }) =>
    changes(later, { speaker: entry.speaker, at: entry.heldAt, read: readMessage(entry.text) }),
  )
}

/** The current values of the slot first, then the entries that share most words. */
function* rivalsOf(fact: FactRecorded, words: readonly string[], slot: string | null): Effects<readonly PlacedEntry[]> {
  const rivals: PlacedEntry[] = []
  for (const { place } of (slot === null ? null : yield* get(timelines, slot))?.toReversed() ?? []) {
    const entry = yield* get(entries, entryKey(place))
    if (entry !== null && rivals.length < maxCompared) rivals.push({ place, entry })
  }
  for (const rival of yield* mentionedEntries(fact, words, maxCompared)) {
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
    if (interrupted(timeline, rival.place.entry, at)) apart.add(rival)
  }
  return apart
}

function statement(entry: Pick<Entry, 'text' | 'factKind' | 'slot' | 'validFrom'>): Statement {
  const { text, factKind, slot, validFrom: from } = entry
  return { text, kind: factKind, slot: slot?.startsWith('~') ? null : slot, from: day(from) }
}

const dayMs = 86_400_000
/** A cache of formatted days: the same few are formatted for every comparison. */
const maxDays = 4_096
const days = new Map<number, string>()

export function day(at: number): string {
  const number = Math.floor(at / dayMs)
  const known = days.get(number)
  if (known !== undefined) return known
  const formatted = new Date(at).toISOString().slice(0, 10)
  if (days.size >= maxDays) days.clear()
  days.set(number, formatted)
  return formatted
}
