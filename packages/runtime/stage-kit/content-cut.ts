/**
 * Content-defined chunking: the text of an item decides whether a row of items ends with it. So a replay cuts at the
 * same places, and after a change rows soon end at the same places again. A cut by number would move every later end.
 */
import { hash } from '@loomlog/schemas/ids'

/** A number of 32 bits, evenly distributed over texts. */
export function digestOf(text: string): number {
  return Number.parseInt(hash(text).slice(0, 8), 16)
}

/** Whether a row ends with the item of this digest: true for one digest in `oneIn`. */
export function isCut(digest: number, oneIn: number): boolean {
  return digest % oneIn === 0
}
