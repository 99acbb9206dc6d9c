/**
 * How much a line resembles lines that open a topic, that end one, and that follow an opening: the weights of its
 * phrases.
 */
import { type PhraseWeights, phrasesOf } from './phrases.ts'
import shiftPhrases from './shift-phrases.json' with { type: 'json' }
import type { PhraseScores } from './state.ts'

type Lexicon = ReadonlyMap<string, PhraseScores>

export function lexiconOf(weights: PhraseWeights): Lexicon {
  return new Map(
    weights.map(([phrase, opening, last, after]) => [
      phrase,
      { opening: opening / 1e3, last: last / 1e3, after: after / 1e3 },
    ]),
  )
}

const installed = lexiconOf(shiftPhrases as unknown as PhraseWeights)

/**
 * The sum is divided by the square root of the number of phrases, so that a long line scores no higher for its length.
 */
export function phraseScoresOf(text: string, lexicon: Lexicon = installed): PhraseScores {
  const phrases = phrasesOf(text)
  const known = phrases.flatMap((phrase) => lexicon.get(phrase) ?? [])
  const sum = (which: keyof PhraseScores) => known.reduce((total, weights) => total + weights[which], 0)
  const by = Math.sqrt(Math.max(1, phrases.length))
  return { opening: sum('opening') / by, last: sum('last') / by, after: sum('after') / by }
}
