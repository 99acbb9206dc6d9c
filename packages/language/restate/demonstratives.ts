/**
 * `This`, `these`, `that` and `those` refer to something mentioned or seen. A self-contained statement can't refer,
 * unless the words after the noun identify it: `that trip we took`.
 */
import { type Word, word } from '../words.ts'

const identifying = /^(?:i|we|you|he|she|they|that|who|which|on|in|from|about|called|named|of)$/

export type PronounReplacement = readonly Word[] | null | 'as it is'

export function demonstrativeReplacement(words: readonly Word[], i: number): PronounReplacement {
  const each = words[i]
  if (each?.lower === 'that' && links(words, i)) return 'as it is'
  const end = phraseEnd(words, i)
  if (end === null) return null
  // `That effect on me`: the person doesn't identify the effect.
  const isIdentified = identifying.test(words[end]?.lower ?? '') && !/^(?:me|us|you)$/.test(words[end + 1]?.lower ?? '')
  return isIdentified ? [word('the', 'DET')] : null
}

/** The exclusive end of the noun phrase that follows; null: none follows. */
function phraseEnd(words: readonly Word[], i: number): number | null {
  let at = i + 1
  while (/^(?:ADJ|NUM)$/.test(words[at]?.pos ?? '') || (words[at]?.pos === 'ADV' && words[at + 1]?.pos === 'ADJ')) at++
  if (!/^(?:NOUN|PROPN)$/.test(words[at]?.pos ?? '')) return null
  while (words[at + 1]?.pos === 'NOUN') at++
  return at + 1
}

/** `that` as a conjunction or relative pronoun, which refers to nothing outside of the sentence. */
function links(words: readonly Word[], i: number): boolean {
  const each = words[i]
  const previous = words[i - 1]
  const next = words[i + 1]
  const ends = /^(?:ADP|PUNCT|CCONJ)$/.test(next?.pos ?? 'PUNCT') || next?.lower === 'as'
  if (/^(?:VERB|ADP)$/.test(previous?.pos ?? '') && ends) return false
  if (each?.pos === 'SCONJ') {
    let at = i + 1
    while (/^(?:ADJ|NOUN)$/.test(words[at]?.pos ?? '')) at++
    const points = at > i + 1 && words[at - 1]?.pos === 'NOUN' && /^(?:VERB|CCONJ)$/.test(previous?.pos ?? '')
    return !points || /^(?:AUX|VERB|PROPN|ADV)$/.test(words[at]?.pos ?? 'PUNCT')
  }
  return next !== undefined && /^(?:NOUN|PROPN|PRON|NUM)$/.test(previous?.pos ?? '')
}
