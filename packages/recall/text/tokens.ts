/** Counts the cl100k tokens of a text. Memoized: the same utterances are shown often, and counting took most of the time of packing. */
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import { memoize } from './memoize.ts'

/** Half of a surrogate pair, which no well-formed text has. */
const cut = '\udfff'
const longRun = /\S{256}(?=\S)/gu

/** The cache takes some 5 MB at most. */
export const tokensOf = memoize({ total: 2_000_000, longest: 500 }, (text) =>
  withoutLongRuns(text).reduce((sum, part) => sum + countTokens(part), 0),
)

/**
 * Cuts runs without white space after 256 characters. The tokenizer takes quadratic time for such a run: 13 s for 64 KB of joined emoji.
 * A cut adds a token at most.
 */
export function withoutLongRuns(text: string): readonly string[] {
  return text.replaceAll(longRun, (run) => run + cut).split(cut)
}
