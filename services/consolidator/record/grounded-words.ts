/** Grounding of a plan: a merge must keep every name, number, date and denial of the texts that it merges. */

import { terms } from '@loomlog/language/terms'
import type { Fact } from '../state.ts'
import { type Signature, signature } from './repetition.ts'

export type Statement = Pick<Fact, 'text' | 'kind' | 'when'>

/** Names, numbers, dates and denials of `given` that `kept` lacks. */
export function lostWords(given: Statement, kept: Statement): readonly string[] {
  const lost = [...missing(signature(given.text).exact, signature(kept.text)), ...otherValue(given.text, kept.text)]
  const recurs = given.kind === 'event' || given.kind === 'plan'
  const isOtherDay = recurs && given.when !== null && kept.when !== null && given.when.from !== kept.when.from
  return isOtherDay ? [...lost, given.when.text] : lost
}

/**
 * Whether two statements can't say the same: one doesn't name the other's subject, or they share less than half of the
 * shorter one's other words.
 */
export function isOtherMatter(one: Matter, other: Matter): boolean {
  const [words, otherWords] = [new Set(terms(one.text)), new Set(terms(other.text))]
  const [subject, otherSubject] = [terms(one.subject), terms(other.subject)]
  const isNamed =
    one.subject.toLowerCase() === other.subject.toLowerCase() ||
    (subject.every((word) => otherWords.has(word)) && otherSubject.every((word) => words.has(word)))
  const own = (each: ReadonlySet<string>) => [...each].filter((word) => ![...subject, ...otherSubject].includes(word))
  const [rest, otherRest] = [own(words), own(otherWords)]
  const shared = rest.filter((word) => otherWords.has(word)).length
  return !isNamed || shared < Math.min(rest.length, otherRest.length) / 2
}

type Matter = Pick<Fact, 'text' | 'subject'>

/**
 * The tail of a sentence that begins like the other one and ends in other words: `Maya's door is red`, `Maya's door is
 * blue`.
 */
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
