/**
 * Endings by a plan: whether a fact may end an entry, and when it ends. Time decides, not the order of labels. A past
 * event is never ended; a plan, or an event ahead, ends when its change is reported; a state when the change is
 * reported and holds.
 */

import type { Effects } from '@loomlog/runtime/step'
import type { EventTime, FactKind } from '@loomlog/schemas/events'
import { type Changes, type Decision, retireEntry } from '../changes.ts'
import type { PlacedEntry } from '../documents/term-index.ts'
import type { Entry, EntryRef, Fact } from '../state.ts'
import { mayEndValue, rankOf } from './rank.ts'
import { validFrom } from './reconciliation.ts'
import { replaceValue } from './retraction.ts'

type Endable = Pick<Entry, 'factKind' | 'when' | 'validFrom' | 'saidAt' | 'speaker' | 'role' | 'rank' | 'subject'>

/**
 * `past event`: it has happened, and stays. `rank`: only a pin ends a pinned entry, and an agent's fact no correction
 * and no statement of a person whose subject may be a person. `not later`: the fact was neither reported later nor
 * holds later.
 */
export type EndingRefusal = 'past event' | 'rank' | 'not later'

export function endingRefusal(fact: Fact, entry: Endable): EndingRefusal | null {
  if (entry.factKind === 'event' && hasHappened(entry, fact.saidAt)) return 'past event'
  if (!mayEndValue({ role: fact.role, rank: rankOf(fact) }, entry) && !isWorkOfAgent(fact, entry)) return 'rank'
  return fact.saidAt >= entry.saidAt || validFrom(fact) > entry.validFrom ? null : 'not later'
}

/** A fact of the batch as the entry that it becomes. */
export function endable(fact: Fact): Endable {
  const { kind: factKind, when, saidAt, speaker, role, subject } = fact
  return { factKind, when, saidAt, speaker, role, subject, rank: rankOf(fact), validFrom: validFrom(fact) }
}

/**
 * The work of an agent or a tool may end a person's statement about a thing: a rollout the old number of servers. A
 * subject that may be the name of a person is no thing here.
 */
function isWorkOfAgent({ role }: Pick<Fact, 'role'>, entry: Pick<Endable, 'rank' | 'subject' | 'speaker'>): boolean {
  return role !== 'human' && entry.rank === 'stated' && isThing(entry)
}

/** `the nightly job`, `wagon-tracker`: an article, or no capital. */
function isThing({ subject, speaker }: Pick<Endable, 'subject' | 'speaker'>): boolean {
  const isNamedLower = /^[\p{Ll}\p{N}]/u.test(subject) || article.test(subject)
  return isNamedLower && !pronoun.test(subject) && firstWord(subject) !== firstWord(speaker)
}

const article = /^(?:the|an?|der|die|das|el|la|los|las|les?) /i
const pronoun = /^(?:my|our|your|his|her|their|its?|i|we|you|he|she|they)\b/i

function firstWord(text: string): string {
  return /[\p{L}\p{N}]+/u.exec(text.toLowerCase())?.[0] ?? ''
}

function hasHappened({ when, saidAt }: { when: EventTime | null; saidAt: number }, at: number): boolean {
  return when === null || when.from <= saidAt || when.to <= at
}

function endOf(fact: Fact, { factKind, until }: { factKind: FactKind; until: number | null }): number {
  const isAhead = factKind === 'plan' || factKind === 'event'
  const end = isAhead ? fact.saidAt : Math.max(fact.saidAt, validFrom(fact))
  return until === null ? end : Math.min(end, until)
}

interface Successor {
  readonly place: EntryRef
  readonly twin: EntryRef | null
}

/**
 * Retires the entries and their twins. They leave the timelines of their slots, so that no later value moves their end.
 * @returns the number of endings that were refused
 */
export function* endByPlan(
  changes: Changes,
  { fact, ends, by, decided }: { fact: Fact; ends: readonly PlacedEntry[]; by: Successor; decided: Decision },
): Effects<number> {
  let refused = 0
  for (const { place, entry } of ends) {
    if (place.entry === by.place.entry) continue
    if (endingRefusal(fact, entry) !== null) {
      refused++
      continue
    }
    const how = { reason: 'superseded', validTo: endOf(fact, entry) } as const
    yield* retireEntry(changes, { place, by: by.place, ...how }, decided)
    if (entry.twin !== null) yield* retireEntry(changes, { place: entry.twin, by: by.twin, ...how }, decided)
    yield* replaceValue(place, entry, null)
  }
  return refused
}
