/**
 * The content words of a text as stems, counted; fast, because every distinct word is stemmed once and remembered. Names and everyday
 * words are treated as `terms` treats them. Where a script sets no spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) they are
 * found by dictionary, and stand as they are; an emoji is a word, too.
 */
import { terms } from '@loomlog/language/terms'

/** Distinct words remembered, some 100 bytes each. */
const maxKnownWords = 50_000
/** What is longer is no word. */
const maxWordChars = 64
/** A stretch without spaces is divided in pieces of so many characters. */
const maxStretchChars = 1_000

const known = new Map<string, readonly string[]>()
const spaceless = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}`
const word = new RegExp(
  String.raw`(?<stretch>[${spaceless}]{1,${maxStretchChars}})|[[\p{L}\p{N}]--[${spaceless}]]+|(?<emoji>\p{RGI_Emoji}|\p{Emoji_Presentation})`,
  'gv',
)
/** Skin tones, and the mark that a character is shown as an emoji: no part of what it says. */
const toneOrStyle = /[\u{1F3FB}-\u{1F3FF}\u{FE0F}]/gu
const dividing = new Intl.Segmenter('und', { granularity: 'word' })

export interface Stems {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

export function stemsOf(text: string): Stems {
  const counts = new Map<string, number>()
  let length = 0
  for (const { 0: found, groups } of text.toLowerCase().matchAll(word)) {
    for (const stem of stemsOfMatch(found, groups)) {
      counts.set(stem, (counts.get(stem) ?? 0) + 1)
      length += 1
    }
  }
  return { counts, length }
}

function stemsOfMatch(found: string, { stretch, emoji }: { readonly [kind: string]: string | undefined } = {}) {
  if (emoji !== undefined) return [emoji.replaceAll(toneOrStyle, '') || emoji]
  if (stretch === undefined) return stemsOfWord(found.slice(0, maxWordChars))
  return [...dividing.segment(stretch)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
}

function stemsOfWord(text: string): readonly string[] {
  const before = known.get(text)
  if (before) return before
  const found = terms(text)
  if (known.size >= maxKnownWords) known.clear()
  known.set(text, found)
  return found
}
