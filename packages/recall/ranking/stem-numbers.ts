/**
 * Numbers the stems of a question's candidates, so that they are counted in arrays and not in maps of strings. A stem
 * has a number in the process, which is cached for each text, and a place among the stems of one question. Arrays by
 * place are only as long as the question needs. Beyond `maxStems`, and after a forgetting, the numbering starts again,
 * between two questions.
 */
import { noteTextCache } from '@loomlog/text-caches'
import type { Stems } from '../text/stems.ts'

const maxStems = 200_000

/** Pairs: the number of a stem, and how often the text has it. */
type NumberedStems = Int32Array

/** The stems of some texts, one text after another. */
export interface PlacedStems {
  /** Different stems. */
  readonly size: number
  /** The places of each text's stems, in the order of the text. */
  readonly places: Int32Array
  /** How often the text has each. */
  readonly counts: Int32Array
  /** By text: the end of its stems. They begin at 0 for the first text, and else at the end of the text before. */
  readonly ends: Int32Array
  /** Undefined: no text has the stem. */
  placeOf(stem: string): number | undefined
}

let numbers = new Map<string, number>()
let numbered = new WeakMap<Stems, NumberedStems>()
/** By number: 1 + the place, for the stems that are being placed; 0 for all others. */
let placesNow = new Int32Array(0)

/** Stems that are placed already keep their numbers: each result holds the map of its time. */
const numbering = noteTextCache({
  forgetTexts() {
    numbers = new Map()
    numbered = new WeakMap()
    placesNow = new Int32Array(0)
  },
})

export function placeStems(texts: readonly Stems[]): PlacedStems {
  if (numbers.size > maxStems) numbering.forgetTexts()
  const current = numbers
  const pairs = texts.map(numberedStems)
  if (placesNow.length < current.size) placesNow = new Int32Array(2 * current.size)
  const total = pairs.reduce((sum, { length }) => sum + length / 2, 0)
  const [places, counts, ends] = [new Int32Array(total), new Int32Array(total), new Int32Array(texts.length)]
  /** The numbers of the stems, by place. */
  const numbersHere: number[] = []
  let at = 0
  for (const [text, own] of pairs.entries()) {
    for (let n = 0; n < own.length; n += 2) {
      const number = own[n] as number
      if (placesNow[number] === 0) placesNow[number] = numbersHere.push(number)
      places[at] = (placesNow[number] as number) - 1
      counts[at] = own[n + 1] as number
      at += 1
    }
    ends[text] = at
  }
  for (const number of numbersHere) placesNow[number] = 0
  const placeOf = (stem: string) => {
    const place = numbersHere.indexOf(current.get(stem) ?? -1)
    return place < 0 ? undefined : place
  }
  return { size: numbersHere.length, places, counts, ends, placeOf }
}

function numberedStems(stems: Stems): NumberedStems {
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
}

function numberFor(stem: string): number {
  const known = numbers.get(stem)
  if (known !== undefined) return known
  numbers.set(stem, numbers.size)
  return numbers.size - 1
}
