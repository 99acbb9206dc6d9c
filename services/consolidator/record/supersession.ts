/**
 * Puts a new entry into the timelines of its slots, and retires outdated entries: its predecessor, or itself if a later
 * value is already known.
 */

import { type Effects, get, put } from '@loomlog/runtime/step'
import { type Changes, type Decision, retireEntry } from '../changes.ts'
import type { PlacedEntry } from '../documents/term-index.ts'
import { type Entry, type EntryRef, timelines, type Value } from '../state.ts'
import { type Ending, newEndings, newestValues, withValue } from './timeline.ts'

export interface Supersession {
  readonly same: readonly PlacedEntry[]
  readonly replaces: readonly PlacedEntry[]
  readonly slots: readonly string[]
  readonly decided: Decision
  /** Ids of entries that a correction ends, so that no pin keeps them. */
  readonly ended: ReadonlySet<string>
}

export function* supersede(
  changes: Changes,
  { same, replaces, slots, decided, ended }: Supersession,
  written: Pick<Entry, 'twin' | 'validFrom' | 'heldAt' | 'role' | 'rank'> & { readonly place: EntryRef },
): Effects<void> {
  const { place, twin, validFrom, heldAt, role, rank } = written
  const merged = new Set(same.map((rival) => rival.place.entry))
  for (const slot of slots) {
    const before =
      (yield* get(timelines, slot)) ?? replaces.filter((rival) => slot === `~${rival.place.entry}`).map(firstValue)
    const others = before
      .filter((value) => !merged.has(value.place.entry))
      .map((value) => (ended.has(value.place.entry) ? { ...value, rank: 'corrected' as const } : value))
    const after = withValue(others, { place, twin, validFrom, heldAt, role, rank })
    for (const ending of newEndings(before, after)) yield* end(changes, ending, decided)
    yield* put(timelines, slot, newestValues(after))
  }
}

/** Retires the entry and its twin. The twin has no successor if the next value is in no profile. */
function* end(changes: Changes, { value, by, at }: Ending, decided: Decision): Effects<void> {
  const how = { reason: 'superseded', validTo: at } as const
  yield* retireEntry(changes, { place: value.place, by: by.place, ...how }, decided)
  if (value.twin) yield* retireEntry(changes, { place: value.twin, by: by.twin, ...how }, decided)
}

/** The first value of a new timeline, from an entry without a slot. */
function firstValue({ place, entry }: PlacedEntry): Value {
  const { twin, validFrom, heldAt, role, rank } = entry
  return { place, twin, validFrom, heldAt, role, rank }
}
