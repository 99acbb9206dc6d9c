/**
 * A list in keyed records, in the order of arrival: the boxes of an open window, the facts of an open batch. Each item
 * has a record of its own, so that a long list isn't written again for every item.
 */
import type { Json } from '@loomlog/schemas/ids'
import { type Effects, type KeyedRecord, put, range } from '../step.ts'

/**
 * Adds an item at the end.
 * @param list the prefix of its keys; '' if the lane has one list
 * @param place the number of items that arrived before it, including those that have left
 * @returns the item's key
 */
export function* append<T extends Json>(
  items: KeyedRecord<T>,
  { list, place }: { readonly list: string; readonly place: number },
  item: T,
): Effects<string> {
  const key = `${list}${place}`
  yield* put(items, key, item)
  return key
}

/** The items with their keys, in order. @param most at least the number of items */
export function* itemsOf<T extends Json>(
  items: KeyedRecord<T>,
  list: string,
  most: number,
): Effects<readonly (readonly [key: string, item: T])[]> {
  const found = yield* range(items, list, most)
  // Places that an earlier version wrote have leading zeros, so the order of the keys is not the order of the places.
  const placeOf = (key: string) => Number(key.slice(list.length))
  return found.toSorted(([a], [b]) => placeOf(a) - placeOf(b))
}

/** Takes all items out of the list, in order. @param most at least the number of items */
export function* takeAll<T extends Json>(items: KeyedRecord<T>, list: string, most: number): Effects<readonly T[]> {
  const taken = yield* itemsOf(items, list, most)
  for (const [key] of taken) yield* put(items, key, null)
  return taken.map(([, item]) => item)
}
