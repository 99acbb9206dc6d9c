/**
 * The content words of a text as stems, counted; fast, because every distinct word is stemmed once and remembered. Names and everyday
 * words are treated as `terms` treats them.
 */
import { terms } from '@loomlog/language/terms'

/** Distinct words remembered, some 100 bytes each. */
const maxKnownWords = 50_000
/** What is longer is no word. */
const maxWordChars = 64

const known = new Map<string, readonly string[]>()
const word = /[\p{L}\p{N}]+/gu

export interface Stems {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

export function stemsOf(text: string): Stems {
  const counts = new Map<string, number>()
  let length = 0
  for (const [found] of text.toLowerCase().matchAll(word)) {
    for (const stem of stemsOfWord(found.slice(0, maxWordChars))) {
      counts.set(stem, (counts.get(stem) ?? 0) + 1)
      length += 1
    }
  }
  return { counts, length }
}

function stemsOfWord(text: string): readonly string[] {
  const before = known.get(text)
  if (before) return before
  const found = terms(text)
  if (known.size >= maxKnownWords) known.clear()
  known.set(text, found)
  return found
}
