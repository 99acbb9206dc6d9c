/**
 * Stems as numbers, so that the stems of a thousand candidates are counted in arrays and not in maps of strings. Numbers are given in the order in
 * which stems are first seen. Beyond `maxStems` the numbering starts again between two questions, so that it does not grow with the memory.
 */
import type { Stems } from '../text/stems.ts'

const maxStems = 200_000

/** Pairs: the number of a stem, and how often the text has it. */
type NumberedStems = Int32Array

export interface Numbering {
  /** Of all numbers given so far, the next one. */
  readonly size: number
  numberOf(stem: string): number | undefined
  /** By candidate. */
  readonly texts: readonly NumberedStems[]
}

let numbers = new Map<string, number>()
let numbered = new WeakMap<Stems, NumberedStems>()

export function numberStems(texts: readonly Stems[]): Numbering {
  if (numbers.size > maxStems) {
    numbers = new Map()
    numbered = new WeakMap()
  }
  const current = numbers
  const pairs = texts.map((stems) => {
    const known = numbered.get(stems)
    if (known !== undefined) return known
    const found = new Int32Array(2 * stems.counts.size)
    let at = 0
    for (const [stem, count] of stems.counts) {
      found[at] = numberFor(stem)
      found[at + 1] = count
      at += 2
    }
    numbered.set(stems, found)
    return found
  })
  return { size: current.size, numberOf: (stem) => current.get(stem), texts: pairs }
}

function numberFor(stem: string): number {
  const known = numbers.get(stem)
  if (known !== undefined) return known
  numbers.set(stem, numbers.size)
  return numbers.size - 1
}
