/**
 * Which entries a new fact repeats, and which it replaces. Only entries about the same subject are ever looked at, so facts that
 * have nothing to do with each other can't retire each other, whoever answers.
 */

import { functionalRelation } from '@loomlog/language/relations'
import { ask, type Effects, get } from '@loomlog/runtime/step'
import type { FactRecorded } from '@loomlog/schemas/events'
import { type Mentioned, mentionedEntries } from './buckets.ts'
import { byRules, type Decided } from './changes.ts'
import { reconcileByRules } from './local.ts'
import { type Entry, entries, entryKey, timelines } from './state.ts'
import { maxCompared, type ReconcileInput, reconcileEntry, type Statement } from './tasks.ts'
import { interrupted } from './timeline.ts'

export interface Reconciled {
  /** Entries that say the same: they are merged with the fact. */
  readonly same: readonly Mentioned[]
  /** Entries that can't hold along with it: which of the two is over, time says. */
  readonly replaces: readonly Mentioned[]
  /** The timeline that the fact is a value of; null: none. */
  readonly slot: string | null
  readonly decided: Decided
}

export function* reconcile(fact: FactRecorded, words: readonly string[], sameShare: number): Effects<Reconciled> {
  const slot = slotOf(fact)
  const rivals = yield* rivalsOf(fact, words, slot)
  if (rivals.length === 0) return { same: [], replaces: [], slot, decided: byRules }
  const input: ReconcileInput = {
    fact: statement({ ...fact, slot, factKind: fact.kind, validFrom: validFrom(fact) }),
    entries: rivals.map(({ entry }, index) => ({ label: `e${index + 1}`, ...statement(entry) })),
  }
  const answer = yield* ask(reconcileEntry, input)
  const verdict = answer.none === null ? answer.value : reconcileByRules(input, sameShare)
  const decided = answer.none === null ? answer : { ...byRules, completions: answer.completions }
  const named = (labels: readonly string[]) => rivals.filter((_, index) => labels.includes(`e${index + 1}`))
  const repeated = named(verdict.same)
  const apart = yield* interruptedOf(repeated, heldAt(fact))
  const same = repeated.filter((rival) => !apart.has(rival))
  const replaces = [...named(verdict.replaces).filter((rival) => !repeated.includes(rival)), ...apart]
  // Two values of a slot that may hold together, as the answer has it: the fact is no value of it then.
  const joins =
    rivals.every(({ entry }) => entry.slot !== slot) || [...same, ...replaces].some(({ entry }) => entry.slot === slot)
  return { same, replaces, slot: joins ? slot : null, decided }
}

/** From when the fact is held to be true; an arrangement for later (the talk is on 7 May) holds since it was made. */
export function validFrom(fact: FactRecorded): number {
  return isArrangement(fact) ? fact.saidAt : (fact.when?.from ?? fact.saidAt)
}

/** The last time for which it was told: when it was said, unless what it tells of was over by then. */
export function heldAt(fact: FactRecorded): number {
  const { when, saidAt } = fact
  if (when === null || isArrangement(fact)) return saidAt
  return when.to < saidAt ? when.from : Math.max(when.from, saidAt)
}

function slotOf(fact: FactRecorded): string | null {
  return functionalRelation({ ...fact, tense: 'present' })?.slot ?? null
}

function isArrangement(fact: FactRecorded): boolean {
  return functionalRelation({ ...fact, tense: 'present' })?.holdsFrom === 'being said'
}

/** The slot's values that hold now first, then what shares most words. */
function* rivalsOf(fact: FactRecorded, words: readonly string[], slot: string | null): Effects<readonly Mentioned[]> {
  const rivals: Mentioned[] = []
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

/** Somewhere else in between, and back: the same words, but not the same stretch of time. */
function* interruptedOf(repeated: readonly Mentioned[], at: number): Effects<ReadonlySet<Mentioned>> {
  const apart = new Set<Mentioned>()
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
/** Days that were written before; the same few come again for every entry that is compared. */
const maxDays = 4_096
const days = new Map<number, string>()

export function day(at: number): string {
  const number = Math.floor(at / dayMs)
  const known = days.get(number)
  if (known !== undefined) return known
  const written = new Date(at).toISOString().slice(0, 10)
  if (days.size >= maxDays) days.clear()
  days.set(number, written)
  return written
}
