/**
 * Learns the weights of phrases: one logistic regression over the phrases of the three lines around every labelled gap.
 * Phrases that occur in few dialogues are left out, since they name a subject; of the others the strongest are kept.
 */
import { type PhraseWeights, phrasesOf } from '@loomlog/topic-loom/phrases'
import type { Dialogue } from '../../eval/dialogues.ts'
import { fitSparse } from '../logistic.ts'

const leastDialogues = 6
const kept = 800
const penalty = 3e-4

export function phraseWeights(dialogues: readonly Dialogue[]): PhraseWeights {
  const phrases = common(dialogues)
  const at = new Map(phrases.map((phrase, i) => [phrase, i]))
  const examples = dialogues.flatMap(({ texts, shifts }) => {
    const lines = texts.map((text) => known(text, at))
    return texts.slice(1).map((_, i) => ({
      features: [lines[i + 1], lines[i], lines[i + 2]].flatMap((line = [], which) =>
        line.map(([phrase, value]) => [which * phrases.length + phrase, value] as const),
      ),
      isPositive: shifts[i + 1] ?? false,
    }))
  })
  const found = fitSparse(examples, { size: 3 * phrases.length, penalty })
  const weights = phrases.map((phrase, i) => {
    const of = (which: number) => thousandths(found[which * phrases.length + i] ?? 0)
    return [phrase, of(0), of(1), of(2)] as const
  })
  const strength = ([, ...three]: PhraseWeights[number]) => Math.max(...three.map(Math.abs))
  const strongest = weights.toSorted((one, other) => strength(other) - strength(one)).slice(0, kept)
  return strongest.toSorted(([one], [other]) => (one < other ? -1 : 1))
}

function common(dialogues: readonly Dialogue[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { texts } of dialogues)
    for (const phrase of new Set(texts.flatMap((text) => phrasesOf(text))))
      counts.set(phrase, (counts.get(phrase) ?? 0) + 1)
  return [...counts].flatMap(([phrase, count]) => (count < leastDialogues ? [] : [phrase]))
}

/** The weight as in `phraseScoresOf`: divided by the square root of the number of all phrases. */
function known(text: string, at: ReadonlyMap<string, number>): readonly (readonly [phrase: number, value: number])[] {
  const phrases = phrasesOf(text)
  const value = 1 / Math.sqrt(Math.max(1, phrases.length))
  return phrases.flatMap((phrase) => {
    const index = at.get(phrase)
    return index === undefined ? [] : [[index, value] as const]
  })
}

function thousandths(weight: number): number {
  return Math.round(weight * 1e3)
}
