/**
 * The content words of a text as stems, with their counts. Each distinct word is stemmed once and cached. Names and
 * stop words are handled as in `terms`. Scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer,
 * Burmese) are segmented by dictionary, and their words are not stemmed. An emoji is a word.
 */
import { terms } from '@loomlog/language/terms'
import { TextMap } from '@loomlog/text-caches'
import { maxStretchChars, segmented, spacelessScripts } from '@loomlog/views/spaceless-scripts'
import { memoize } from './memoize.ts'

/** Words in the cache, some 100 bytes each. */
const maxCachedWords = 50_000
/** Longer words are cut. */
const maxWordChars = 64

const cache = new TextMap<readonly string[]>()
/** An emoji alone comes first: an attempt at every sequence of Unicode takes a tenth of a millisecond a character. */
const emoji = String.raw`(?!\p{RI})\p{Emoji_Presentation}(?!\u200D\p{Emoji}|[\uFE0F\u20E3\p{Emoji_Modifier}\u{E0020}-\u{E007F}])|\p{RGI_Emoji}|\p{Emoji_Presentation}`
const word = new RegExp(
  String.raw`(?<stretch>[${spacelessScripts}]{1,${maxStretchChars}})|[[\p{L}\p{N}]--[${spacelessScripts}]]+|(?<emoji>${emoji})`,
  'gv',
)
/** Skin tones and the emoji style mark don't change the meaning. */
const toneOrStyle = /[\u{1F3FB}-\u{1F3FF}\u{FE0F}]/gu

export interface Stems {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/** A recall reads the words of a text several times; 64 KB of joined emoji take a tenth of a second each time. */
const leastMemoizedChars = 2_000
/** The last long texts, some 10 MB at most. */
const ofLongText = memoize({ total: 300_000, longest: 70_000 }, counted)

export function stemsOf(text: string): Stems {
  return text.length < leastMemoizedChars ? counted(text) : ofLongText(text)
}

function counted(text: string): Stems {
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
  return segmented(stretch)
}

function stemsOfWord(text: string): readonly string[] {
  const cached = cache.get(text)
  if (cached) return cached
  const stems = terms(text)
  if (cache.size >= maxCachedWords) cache.clear()
  cache.set(text, stems)
  return stems
}
