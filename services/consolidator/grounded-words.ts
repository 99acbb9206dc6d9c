/**
 * Grounding of a plan: a merge must keep every name, number, date and denial of the texts that it merges, and a summary must not contain
 * one that its document lacks.
 */

import { type Signature, signature, spelledNumber } from './repetition.ts'
import type { Fact } from './state.ts'

export type Statement = Pick<Fact, 'text' | 'kind' | 'when'>

/** Names, numbers, dates and denials of `given` that `kept` lacks. */
export function lostWords(given: Statement, kept: Statement): readonly string[] {
  const lost = [...missing(signature(given.text).exact, signature(kept.text)), ...otherValue(given.text, kept.text)]
  const recurs = given.kind === 'event' || given.kind === 'plan'
  const isOtherDay = recurs && given.when !== null && kept.when !== null && given.when.from !== kept.when.from
  return isOtherDay ? [...lost, given.when.text] : lost
}

/** Names, figures and denials of a summary that are in none of the texts of its document. */
export function inventedWords(summary: string, texts: readonly string[]): readonly string[] {
  const known = signature(texts.join('. '))
  // The first word of a sentence has a capital anyway.
  const sentences = summary.split(/[.;:!?]\s+/)
  return sentences.flatMap((sentence) =>
    missing(signature(sentence).exact, known).filter((word) => !spelledNumber.test(word)),
  )
}

/** The tail of a sentence that begins like the other one and ends in other words: `Maya's door is red`, `Maya's door is blue`. */
function otherValue(given: string, kept: string): readonly string[] {
  const [one, other] = [[...signature(given).words], [...signature(kept).words]]
  const differs = one.findIndex((word, index) => word !== other[index])
  const [tail, otherTail] = [one.slice(differs), other.slice(differs)]
  const isOther = differs >= 2 && otherTail.length > 0 && !tail.some((word) => otherTail.includes(word))
  return isOther ? tail : []
}

function missing(exact: ReadonlySet<string>, { words }: Signature): readonly string[] {
  const bare = new Set([...words].map(withoutPossessive))
  return [...exact].filter((word) => !bare.has(withoutPossessive(word)))
}

function withoutPossessive(word: string): string {
  return word.replace(/'s$/, '')
}
