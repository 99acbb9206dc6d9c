/**
 * How many tokens (cl100k) a text takes. What was counted lately is remembered: the same utterances are shown again and again, and counting
 * them took most of the time of packing.
 */
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'

/** Texts remembered, and how long one of them may be: some 20 MB at most, a tenth of it with what people say. */
const maxKnownTexts = 20_000
const maxKnownChars = 500

const known = new Map<string, number>()

export function tokensOf(text: string): number {
  const before = known.get(text)
  if (before !== undefined) return before
  const tokens = countTokens(text)
  if (text.length > maxKnownChars) return tokens
  if (known.size >= maxKnownTexts) known.clear()
  known.set(text, tokens)
  return tokens
}
