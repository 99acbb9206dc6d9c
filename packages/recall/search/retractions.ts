/** Retracted utterances: a correction retracted a fact that cites them, and no current fact cites them. */
import { and, isNull, not } from '@loomlog/views/condition'
import { current } from '@loomlog/views/row'
import { citesAnyOf, facts as factTable } from '@loomlog/views/tables/facts'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import type { ScoredMemory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { CandidateSearch } from './candidate-search.ts'

/** By utterance, the ids of the corrections that retracted its facts. */
export type Retractions = ReadonlyMap<string, readonly string[]>

/** Newest corrections of the given utterances, and current facts that cite them. */
const maxCorrections = 1_000
const maxFacts = 1_000

/** A retracted utterance keeps this share of its score. */
const retractedShare = 0.1

/**
 * A correction is found by the evidence of the memory that it retracts, not by the id of a fact: another generation has
 * facts with other ids, and none for a banned statement.
 * @param utterances ids of the utterances that may be retracted
 */
export async function retractionsOf(
  utterances: readonly string[],
  { space, scope }: Pick<CandidateSearch, 'space' | 'scope'>,
  { views }: Pick<RecallOptions, 'views'>,
): Promise<Retractions> {
  const { knownAt = Infinity } = scope.asOf
  const corrections = await views.scan(utteranceTable, {
    space,
    where: and(not(isNull('correction')), citesAnyOf(utterances)),
    orderBy: [{ by: 'knownFrom', direction: 'descending' }],
    limit: maxCorrections,
  })
  const retracting = corrections.filter(
    ({ correction, knownFrom }) => correction?.action === 'retract' && knownFrom <= knownAt,
  )
  if (retracting.length === 0) return new Map()
  const retracted = new Set(retracting.flatMap(({ sources }) => sources))
  const where = and(citesAnyOf([...retracted]), current)
  const facts = await views.scan(factTable, { space, where, limit: maxFacts })
  const standing = new Set(facts.flatMap(({ sources }) => sources))
  const byUtterance = utterances
    .filter((utterance) => retracted.has(utterance) && !standing.has(utterance))
    .map((utterance) => {
      const by = retracting.filter(({ sources }) => sources.includes(utterance))
      return [utterance, by.map(({ id }) => id)] as const
    })
  return new Map(byUtterance)
}

/** Marks the retracted utterances, and lowers their scores, so that others come first. */
export function withRetractions<T extends ScoredMemory>(scored: readonly T[], retractions: Retractions): readonly T[] {
  if (retractions.size === 0) return scored
  return scored.map((memory) => {
    const retractedBy = retractions.get(memory.id)
    return retractedBy === undefined ? memory : { ...memory, score: memory.score * retractedShare, retractedBy }
  })
}
