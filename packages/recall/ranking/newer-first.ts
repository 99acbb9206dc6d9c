/**
 * Ranks newer statements before older ones for a question about the present, where learned weights find an update likely. Nothing is marked,
 * since both may hold: only the order of the best memories changes.
 */
import type { Role } from '@loomlog/schemas/events'
import { isOutdated, type ScoredMemory } from '../memory.ts'
import { asksEarlier } from '../request/earlier-value.ts'
import { highestOf } from './ranks.ts'
import { maxCompared, pairsOf, probabilityOf, statementOf } from './update-pairs.ts'

/** From this probability of an update the newer statement comes first: a wrong order costs little. */
const leastProbability = 0.1
/** Of the words of both, by their rarity, the share that they have in common: statements with fewer are about different matters. */
const leastShared = 0.05

export interface NewerFirstOptions {
  roleOf(memory: ScoredMemory): Role | null
  /** Of the request: a statement that is dated later updates nothing yet. */
  readonly moment: number
}

export function withNewerFirst<T extends ScoredMemory>(
  scored: readonly T[],
  query: string,
  { roleOf, moment }: NewerFirstOptions,
): readonly T[] {
  if (asksEarlier(query)) return scored
  const scores = Float64Array.from(scored, (memory) =>
    memory.kind === 'utterance' && !isOutdated(memory) && (memory.at ?? 0) <= moment
      ? memory.score
      : Number.NEGATIVE_INFINITY,
  )
  const best = highestOf(scores, maxCompared).map((at) => scored[at] as T)
  const statements = best.map((memory) => statementOf({ memory, role: roleOf(memory) }))
  const raised = new Map<T, { readonly score: number; readonly by: string }>()
  const scoreOf = (memory: T) => raised.get(memory)?.score ?? memory.score
  const updates = pairsOf(statements, query).filter(
    (pair) => pair.shared >= leastShared && probabilityOf(pair) >= leastProbability,
  )
  // From old to new: an update of an update comes before both.
  for (const pair of updates.toSorted((a, b) => timeOf(best[a.newer]) - timeOf(best[b.newer]))) {
    const [older, newer] = [best[pair.older] as T, best[pair.newer] as T]
    if (scoreOf(newer) < scoreOf(older)) raised.set(newer, { score: scoreOf(older), by: older.id })
  }
  return scored.map((memory) => {
    const over = raised.get(memory)
    return over === undefined ? memory : { ...memory, score: over.score, raisedBy: over.by }
  })
}

function timeOf(memory: ScoredMemory | undefined): number {
  return memory?.at ?? 0
}
