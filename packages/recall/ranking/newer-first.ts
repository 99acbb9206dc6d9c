/**
 * Ranks newer statements before older ones for a question about the present, where learned weights find an update
 * likely. Nothing is marked, since both may hold: only the order of the best memories changes.
 */
import type { Role } from '@loomlog/schemas/events'
import { isOutdated, type ScoredMemory } from '../memory.ts'
import { asksEarlier } from '../request/earlier-value.ts'
import { highestOf } from './ranks.ts'
import { maxCompared, type Pair, pairsOf, probabilityOf, statementOf } from './update-pairs.ts'

/** From this probability of an update the newer statement comes first. */
const leastProbability = 0.2
/**
 * Of the words of both, by their rarity, the share that they have in common: statements with fewer are about different
 * matters.
 */
const leastShared = 0.08
/** Best statements that a newer one may come before. */
const maxOrdered = 5
/** Of several newer statements, the likeliest update of an older one comes first. */
const hairsbreadth = 1e-6

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
  // From old to new: an update of an update comes before both.
  const updates = likeliestUpdates(pairsOf(statements, query))
  for (const update of updates.toSorted((a, b) => timeOf(best[a.newer]) - timeOf(best[b.newer]))) {
    const [older, newer] = [best[update.older] as T, best[update.newer] as T]
    const score = scoreOf(older) * (1 + hairsbreadth * update.probability)
    if (scoreOf(newer) < score) raised.set(newer, { score, by: older.id })
  }
  return scored.map((memory) => {
    const over = raised.get(memory)
    return over === undefined ? memory : { ...memory, score: over.score, raisedBy: over.by }
  })
}

type Update = Pair & { readonly probability: number }

/** For each of the best statements, its likeliest update. */
function likeliestUpdates(pairs: readonly Pair[]): readonly Update[] {
  const likeliest = new Map<number, Update>()
  for (const pair of pairs) {
    if (pair.older >= maxOrdered || pair.shared < leastShared) continue
    const update = { ...pair, probability: probabilityOf(pair) }
    const before = likeliest.get(pair.older)?.probability ?? leastProbability
    if (update.probability >= before) likeliest.set(pair.older, update)
  }
  return [...likeliest.values()]
}

function timeOf(memory: ScoredMemory | undefined): number {
  return memory?.at ?? 0
}
