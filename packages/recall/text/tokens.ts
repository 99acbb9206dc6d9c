/**
 * Counts the cl100k tokens of a text. Memoized: the same utterances are shown often, and counting took most of the time
 * of packing.
 */
import { noteTextCache } from '@loomlog/text-caches'
import { clearMergeCache, countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import { memoize } from './memoize.ts'

/** No text is a control sequence of a model: `<|endoftext|>` in a message is counted like other words. */
const asPlainText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/** Characters of the longest run of white space, or of anything else, that is counted as one. */
const maxRunChars = 256

/** The tokenizer keeps the words that it has read. */
const tokenizer = noteTextCache({
  forgetTexts: clearMergeCache,
  count: (text: string) => countTokens(text, asPlainText),
})

/** The cache takes some 5 MB at most. */
export const tokensOf = memoize({ total: 2_000_000, longest: 500 }, (text) =>
  withoutLongRuns(text).reduce((sum, part) => sum + tokenizer.count(part), 0),
)

/**
 * Cuts long runs of white space, and of other characters. The tokenizer takes quadratic time for such a run: 13 s for
 * 64 KB of joined emoji or of spaces. A cut adds a token at most, and never divides a character.
 */
export function withoutLongRuns(text: string): readonly string[] {
  const parts: string[] = []
  let begin = 0
  let runBegin = 0
  let isInSpace = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const isSpace = isWhiteSpace(code)
    if (isSpace !== isInSpace) {
      isInSpace = isSpace
      runBegin = at
    } else if (at - runBegin >= maxRunChars && !isSecondHalf(code)) {
      parts.push(text.slice(begin, at))
      begin = at
      runBegin = at
    }
  }
  parts.push(text.slice(begin))
  return parts
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** As `\s` of a regular expression. */
const otherSpaces = new Set(
  '\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'.split('').map((each) => each.charCodeAt(0)),
)

function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  return (code >= 0x2000 && code <= 0x200a) || otherSpaces.has(code)
}
