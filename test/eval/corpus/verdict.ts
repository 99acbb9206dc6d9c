/**
 * Judges one recorded fact against the marks of the messages that it cites. The comparison is by words, negation, names
 * and numbers: `right` if most words are those of marked facts, with their names and numbers in the same order; `wrong`
 * if they are those of a trap or if the negation differs; `useless` if the messages have no marked fact. Every other
 * fact is `unjudged`, such as one with a name or a number that its marked facts lack, and a person decides. A
 * capitalised word counts as a name, so more German facts are left to a person.
 */
import type { MarkedMessage } from './conversation.ts'

export type Marks = Pick<MarkedMessage, 'facts' | 'traps'>

export const verdicts = ['right', 'wrong', 'useless', 'unjudged'] as const
export type Verdict = (typeof verdicts)[number]

/** Share of a statement's words that another statement must have to say the same. */
const sameShare = 0.6
/** Share of a fact's words that are in no mark; beyond it a person decides. */
const mostForeign = 0.25
const stopWords = new Set(
  'a an the of to in on at by for from with and or but is are was were be been am do does did has have had will would that this it its as so'.split(
    ' ',
  ),
)
const word = /[\p{L}\p{N}]+/gu
const negations = /\b(?:no|not|never|none|nothing|nobody|without|cannot|\w+n't|any ?more|any longer)\b/i

/** @param cited the marks of the messages that the fact cites */
export function judge(fact: string, cited: readonly Marks[]): Verdict {
  const facts = cited.flatMap((marks) => marks.facts)
  const trapped = best(
    fact,
    cited.flatMap((marks) => marks.traps),
  )
  const marked = best(fact, facts)
  if (trapped.share >= sameShare && trapped.share > marked.share && isNegated(trapped.text) === isNegated(fact))
    return 'wrong'
  if (marked.share >= sameShare) {
    if (isNegated(marked.text) !== isNegated(fact)) return 'wrong'
    const said = statementsIn(fact, facts)
    const isSame = hasSameNames(fact, said) && foreignShare(fact, said) <= mostForeign
    return isSame ? 'right' : 'unjudged'
  }
  return facts.length === 0 && cited.length > 0 ? 'useless' : 'unjudged'
}

/** The statements that have most of their words in the fact. A fact can say several. */
export function statementsIn(fact: string, statements: readonly string[]): readonly string[] {
  return statements.filter((text) => shareIn(fact, text) >= sameShare)
}

/** The statement with the largest share of its words in the fact. */
function best(fact: string, statements: readonly string[]): { readonly text: string; readonly share: number } {
  let found = { text: '', share: 0 }
  for (const text of statements) {
    const share = shareIn(fact, text)
    if (share > found.share) found = { text, share }
  }
  return found
}

function shareIn(fact: string, statement: string): number {
  const words = new Set(wordsIn(fact))
  const own = wordsIn(statement)
  return own.filter((word) => words.has(word)).length / Math.max(1, own.length)
}

/** Whether the fact has no other names and numbers than the statements, and those of each statement in its order. */
function hasSameNames(fact: string, statements: readonly string[]): boolean {
  const own = namesIn(fact)
  const known = new Set(statements.flatMap((text) => text.toLowerCase().match(word) ?? []))
  if (own.some((name) => !known.has(name))) return false
  return statements.every((text) => {
    const names = namesIn(text).filter((name) => own.includes(name))
    return names.join(' ') === own.filter((name) => names.includes(name)).join(' ')
  })
}

/** Names and numbers in their order, each once. */
function namesIn(text: string): readonly string[] {
  const names = (text.match(word) ?? [])
    .filter((each) => /^[\p{Lu}\p{N}]/u.test(each))
    .map((each) => each.toLowerCase())
  return [...new Set(names)].filter((each) => !stopWords.has(each))
}

function wordsIn(text: string): readonly string[] {
  const words = text.toLowerCase().match(word) ?? []
  return words.filter((word) => !stopWords.has(word)).map(stem)
}

/** English endings only: enough to match "moves" with "moved". */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ies|ied|ing|es|ed|s|e)$/, '') : word
}

function isNegated(text: string): boolean {
  return negations.test(text)
}

function foreignShare(fact: string, facts: readonly string[]): number {
  const known = new Set(facts.flatMap(wordsIn))
  const words = wordsIn(fact)
  return words.filter((word) => !known.has(word)).length / Math.max(1, words.length)
}
