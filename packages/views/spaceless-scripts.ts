/**
 * Scripts without spaces between words: Chinese, Japanese, Thai, Lao, Khmer and Burmese. They are segmented by
 * dictionary.
 */

/** For a character class of a regular expression with the flag `v`. */
export const spacelessScripts = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}`
/** A longer stretch without spaces is segmented in pieces of this length. */
export const maxStretchChars = 1_000

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

export function segmented(stretch: string): readonly string[] {
  return [...segmenter.segment(stretch)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
}
