/**
 * The floor of evidence within a budget: candidates that are too unlikely are left out, though tokens remain. It falls
 * with the probability of the best candidate, so that a question that nothing answers surely keeps its best hints, and
 * in large budgets, which ask for more. A line that says next to nothing, such as "Thanks!", needs more. On
 * `test/corpus/learn` these values lose no gold within 1,000 tokens.
 */
import type { Evidence } from '../recall-result.ts'
import { withoutSpeaker } from '../search/wording.ts'
import { stemsOf } from '../text/stems.ts'

/** The floor for a best probability of 1, and the largest budget that it holds for; in larger ones it shrinks. */
const floor = { probability: 0.012, budgetTokens: 1_000 }
/** A line with at most these content words, and none of the question, must have a multiple of the probability. */
const terse = { words: 2, factor: 2 }

/** The least probability of evidence. @param best the probability of the best candidate */
export function leastProbability(best: number, budgetTokens: number): number {
  return floor.probability * Math.sqrt(best) * Math.min(1, floor.budgetTokens / budgetTokens)
}

/**
 * Whether the evidence, as it is shown, is too unlikely. One with the score of a better memory, whose change it may
 * say, never is terse.
 */
export function isUnlikely(shown: Evidence, queryStems: ReadonlySet<string>, least: number): boolean {
  if (shown.score < least) return true
  if (shown.score >= least * terse.factor || shown.raisedBy !== undefined) return false
  const stems = [...stemsOf(withoutSpeaker(shown)).counts.keys()]
  return stems.length <= terse.words && !stems.some((stem) => queryStems.has(stem))
}
