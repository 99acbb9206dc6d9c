/**
 * Puts a new entry into the timelines that it is a value of, and retires what is over now: what it follows, and itself where
 * something later is known already.
 */

import { type Effects, get, put } from '@loomlog/runtime/step'
import type { Mentioned } from './buckets.ts'
import { type Changes, type Decided, retireEntry } from './changes.ts'
import { type Entry, type Place, timelines, type Value } from './state.ts'
import { bounded, type Ending, insert, newEndings } from './timeline.ts'

export interface Rivals {
  readonly same: readonly Mentioned[]
  readonly replaces: readonly Mentioned[]
  readonly slots: readonly string[]
  readonly decided: Decided
}

export function* supersede(
  changes: Changes,
  { same, replaces, slots, decided }: Rivals,
  written: Pick<Entry, 'twin' | 'validFrom' | 'heldAt' | 'role' | 'rank'> & { readonly place: Place },
): Effects<void> {
  const { place, twin, validFrom, heldAt, role, rank } = written
  const merged = new Set(same.map((rival) => rival.place.entry))
  for (const slot of slots) {
    const before =
      (yield* get(timelines, slot)) ?? replaces.filter((rival) => slot === `~${rival.place.entry}`).map(firstValue)
    const others = before.filter((value) => !merged.has(value.place.entry))
    const after = insert(others, { place, twin, validFrom, heldAt, role, rank })
    for (const ending of newEndings(before, after)) yield* end(changes, ending, decided)
    yield* put(timelines, slot, bounded(after))
  }
}

/** The same for the statement in the profile; with nothing in its place where what follows stands in no profile. */
function* end(changes: Changes, { value, by, at }: Ending, decided: Decided): Effects<void> {
  const how = { reason: 'superseded', validTo: at } as const
  yield* retireEntry(changes, { place: value.place, by: by.place, ...how }, decided)
  if (value.twin) yield* retireEntry(changes, { place: value.twin, by: by.twin, ...how }, decided)
}

/** An entry that was no value of anything begins a timeline. */
function firstValue({ place, entry }: Mentioned): Value {
  const { twin, validFrom, heldAt, role, rank } = entry
  return { place, twin, validFrom, heldAt, role, rank }
}
