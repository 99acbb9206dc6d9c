/**
 * The values of one slot in the order of event time. A value holds until the next one that may supersede it: an agent's never
 * supersedes a person's. What arrives late is put where it belongs, and then holds only until what came after it.
 *
 * What is pinned is ended only by what is pinned later, and ends whatever else comes after it, as soon as that begins.
 *
 * A value that was told of twice holds from the first time to the second at least. The order is that of the last time.
 */

import { mayEnd, trust } from './rank.ts'
import { maxValues, type Value } from './state.ts'

/** A value, the one that ends it, and when. */
export interface Ending {
  readonly value: Value
  readonly by: Value
  readonly at: number
}

/** With equal times, what arrived later comes later. */
export function insert(timeline: readonly Value[], value: Value): readonly Value[] {
  const later = timeline.findIndex((each) => each.heldAt > value.heldAt)
  const at = later < 0 ? timeline.length : later
  return [...timeline.slice(0, at), value, ...timeline.slice(at)]
}

/** The newest values; the last one is always among them. */
export function bounded(timeline: readonly Value[]): readonly Value[] {
  return timeline.slice(-maxValues)
}

/** The values that end, or end at another time, because `after` is now the timeline and not `before`. */
export function newEndings(before: readonly Value[], after: readonly Value[]): readonly Ending[] {
  const known = new Map(before.map((value, index) => [value.place.entry, ending(before, index)?.at]))
  return after.flatMap((value, index) => {
    const found = ending(after, index)
    return found === null || found.at === known.get(value.place.entry) ? [] : [found]
  })
}

/** Is something else held between the value of `entry` and the time `at`? Then the two are two stretches, whatever they say. */
export function interrupted(timeline: readonly Value[], entry: string, at: number): boolean {
  const index = timeline.findIndex((value) => value.place.entry === entry)
  const value = timeline[index]
  if (!value) return false
  const others = timeline.filter((each) => each !== value && trust(each.role) >= trust(value.role))
  if (at > value.heldAt) return others.some((each) => each.heldAt >= value.heldAt && each.validFrom <= at)
  return at < value.validFrom && others.some((each) => each.heldAt > at && each.validFrom <= value.validFrom)
}

/** Of all that comes later, what begins first. What began before, and was told of again, ends it then. */
function ending(timeline: readonly Value[], index: number): Ending | null {
  const value = timeline[index]
  let first: Ending | null = value ? endingByPin(timeline, value) : null
  for (const by of value ? timeline.slice(index + 1) : []) {
    if (!value || !mayEnd(by, value)) continue
    const at = by.validFrom > value.validFrom ? by.validFrom : by.heldAt
    if (first === null || at < first.at) first = { value, by, at }
  }
  return first
}

/** What comes after a pin, or was there before it, ends where both would hold. */
function endingByPin(timeline: readonly Value[], value: Value): Ending | null {
  const pin = timeline.findLast((each) => each.rank === 'pinned')
  if (value.rank === 'pinned' || pin === undefined || !mayEnd(pin, value)) return null
  return { value, by: pin, at: Math.max(pin.validFrom, value.validFrom) }
}
