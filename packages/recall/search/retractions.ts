/** Utterances whose facts were retracted by a correction, and that no other fact rests on: nothing of them holds, as far as the memory knows. */
import { after, and } from '@loomlog/views/condition'
import { current } from '@loomlog/views/row'
import { citing, facts as factTable } from '@loomlog/views/tables/facts'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import type { Scored } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { CandidateSearch } from './candidate-search.ts'

/** By utterance, the ids of the corrections that retracted its facts. */
export type Retractions = ReadonlyMap<string, readonly string[]>

/** Newest corrections that are read. */
const maxCorrections = 1_000
const maxFacts = 1_000

/** A retracted utterance keeps this share of its score. */
const retractedShare = 0.1

export async function retractionsIn(
  { space, scope }: Pick<CandidateSearch, 'space' | 'scope'>,
  { views }: Pick<RecallOptions, 'views'>,
): Promise<Retractions> {
  const { knownAt = Infinity } = scope.asOf
  // A correction holds a place in the table of utterances, and is over at once.
  const over = await views.scan(utteranceTable, {
    space,
    where: after('knownTo', 0),
    orderBy: [{ by: 'knownTo', direction: 'descending' }],
    limit: maxCorrections,
  })
  const byFact = new Map(
    over.flatMap(({ id, knownFrom, correction }) =>
      correction?.action === 'retract' && correction.target !== null && knownFrom <= knownAt
        ? [[correction.target, id] as const]
        : [],
    ),
  )
  if (byFact.size === 0) return new Map()
  const retracted = await views.byIds(factTable, space, [...byFact.keys()])
  const sources = [...new Set(retracted.flatMap((fact) => fact.sources))]
  const where = and(citing(sources), current)
  const all = await views.scan(factTable, { space, where, limit: maxFacts })
  const standing = new Set(all.flatMap((fact) => fact.sources))
  const found = new Map<string, readonly string[]>()
  for (const { id, sources } of retracted) {
    for (const utterance of sources) {
      const correction = byFact.get(id)
      if (correction === undefined || standing.has(utterance)) continue
      found.set(utterance, [...(found.get(utterance) ?? []), correction])
    }
  }
  return found
}

/** Marks the retracted utterances, and lowers their scores: what holds comes first. */
export function withRetractions<T extends Scored>(scored: readonly T[], retractions: Retractions): readonly T[] {
  if (retractions.size === 0) return scored
  return scored.map((memory) => {
    const retractedBy = retractions.get(memory.id)
    return retractedBy === undefined ? memory : { ...memory, score: memory.score * retractedShare, retractedBy }
  })
}
