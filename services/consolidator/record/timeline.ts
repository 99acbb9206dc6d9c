/**
 * The values of one slot in the order of event time.
 *
 * 1. A value holds until the next one that may supersede it: an agent's never supersedes a person's.
 * 2. A late value is inserted by its time, and holds only until the next one.
 * 3. Only a later pin ends a pinned value. A pin ends any later value as soon as it begins.
 * 4. A value that is attested twice holds at least from the first time to the second. The second time gives the order.
 */

import { maxValues, type Value } from '../state.ts'
import { mayEndValue, trust } from './rank.ts'

/** A value, the value that ends it, and the time of the end. */
export interface Ending {
  readonly value: Value
  readonly by: Value
  readonly at: number
}

/** Values with equal times keep the order of arrival. */
export function withValue(timeline: readonly Value[], value: Value): readonly Value[] {
  const later = timeline.findIndex((each) => each.heldAt > value.heldAt)
  const at = later < 0 ? timeline.length : later
  return [...timeline.slice(0, at), value, ...timeline.slice(at)]
}

/** The newest values, the last one included. */
export function newestValues(timeline: readonly Value[]): readonly Value[] {
  return timeline.slice(-maxValues)
}

/** The values whose end is new or different in `after`. */
export function newEndings(before: readonly Value[], after: readonly Value[]): readonly Ending[] {
  const known = new Map(before.map((value, index) => [value.place.entry, ending(before, index)?.at]))
  return after.flatMap((value, index) => {
    const found = ending(after, index)
    return found === null || found.at === known.get(value.place.entry) ? [] : [found]
  })
}

/** Whether another value holds between the value of `entry` and the time `at`, so that the two are two time spans. */
export function isInterrupted(timeline: readonly Value[], entry: string, at: number): boolean {
  const index = timeline.findIndex((value) => value.place.entry === entry)
  const value = timeline[index]
  if (!value) return false
  const others = timeline.filter((each) => each !== value && trust(each.role) >= trust(value.role))
  if (at > value.heldAt) return others.some((each) => each.heldAt >= value.heldAt && each.validFrom <= at)
  return at < value.validFrom && others.some((each) => each.heldAt > at && each.validFrom <= value.validFrom)
}

/** The end by the later value that begins first. A later value that began earlier ends it when it is attested again. */
function ending(timeline: readonly Value[], index: number): Ending | null {
  const value = timeline[index]
  let first: Ending | null = value ? endingByPin(timeline, value) : null
  for (const by of value ? timeline.slice(index + 1) : []) {
    if (!value || !mayEndValue(by, value)) continue
    const at = by.validFrom > value.validFrom ? by.validFrom : by.heldAt
    if (first === null || at < first.at) first = { value, by, at }
  }
  return first
}

/** The end by a pin: the first time at which both would hold. */
function endingByPin(timeline: readonly Value[], value: Value): Ending | null {
  const pin = timeline.findLast((each) => each.rank === 'pinned')
  if (value.rank === 'pinned' || pin === undefined || !mayEndValue(pin, value)) return null
  return { value, by: pin, at: Math.max(pin.validFrom, value.validFrom) }
}
