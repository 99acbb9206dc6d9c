/**
 * Judges one recorded fact against the marks of the messages that it cites. The comparison is by words, negation and numbers, and claims only
 * clear cases: `right` where a marked fact says the same, `wrong` where a trap does or where negation or a number differs, `useless` where the
 * messages hold nothing worth a fact. Everything else is `unjudged`, and a person decides.
 */
import type { Marks } from './conversation.ts'

export const verdicts = ['right', 'wrong', 'useless', 'unjudged'] as const
export type Verdict = (typeof verdicts)[number]

/** Share of a statement's words that another statement must hold to say the same. */
const sameShare = 0.6
/** Share of a fact's words that no mark holds; beyond it a person decides. */
const mostForeign = 0.25
const stopWords = new Set(
  'a an the of to in on at by for from with and or but is are was were be been am do does did has have had will would that this it its as so'.split(
    ' ',
  ),
)
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
    return hasForeignNumber(fact, facts) || foreignShare(fact, facts) > mostForeign ? 'unjudged' : 'right'
  }
  return facts.length === 0 && cited.length > 0 ? 'useless' : 'unjudged'
}

/** The statement with the largest share of its words in the fact. */
function best(fact: string, statements: readonly string[]): { readonly text: string; readonly share: number } {
  const words = new Set(wordsIn(fact))
  let found = { text: '', share: 0 }
  for (const text of statements) {
    const own = wordsIn(text)
    const share = own.filter((word) => words.has(word)).length / Math.max(1, own.length)
    if (share > found.share) found = { text, share }
  }
  return found
}

function wordsIn(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
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

function hasForeignNumber(fact: string, facts: readonly string[]): boolean {
  const known = new Set(facts.flatMap((text) => text.match(/\d+/g) ?? []))
  return (fact.match(/\d+/g) ?? []).some((number) => !known.has(number))
}
