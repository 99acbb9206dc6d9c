/**
 * Current answers: the utterances behind a fact that answers the whole question, such as `Maya lives in Porto` for
 * `Where does Maya live?`. The question consists of the fact's subject and relation, the relation has one value at a
 * time, and no entry supersedes the fact. Other utterances may share more words with the question (`I am looking at
 * flats in Porto`), so words alone don't rank the answer first.
 */
import { functionalRelation } from '@loomlog/language/relations'
import type { FactRow } from '@loomlog/views/tables/facts'
import type { ScoredMemory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { mayAskEarlier } from '../request/earlier-value.ts'
import { momentOf } from '../request/filter.ts'
import { stemsOf } from '../text/stems.ts'
import type { CandidateSearch } from './candidate-search.ts'
import { isFuture } from './holding-entries.ts'
import type { TableHits } from './search-table.ts'
import { supersededFacts } from './superseded-facts.ts'

/** Ids of the utterances behind the newest answering fact of each slot. */
export async function currentAnswers(
  { rows }: TableHits<FactRow>,
  { query, space, scope }: Pick<CandidateSearch, 'query' | 'space' | 'scope'>,
  { views }: Pick<RecallOptions, 'views'>,
): Promise<ReadonlySet<string>> {
  const asked = stemsOf(query).counts
  if (asked.size === 0 || mayAskEarlier(query)) return new Set()
  const moment = momentOf(scope.asOf)
  const answering = [...rows.values()].filter((fact) => !isFuture(fact, moment) && answers(fact, asked))
  const ids = answering.map(({ id }) => id)
  const superseded = await supersededFacts(ids, { space, asOf: scope.asOf }, views)
  const newest = new Map<string, FactRow>()
  for (const fact of answering) {
    const slot = functionalRelation({ ...fact, tense: 'present' })?.slot
    if (slot === undefined || superseded.has(fact.id)) continue
    const other = newest.get(slot)
    if (other === undefined || (fact.at ?? 0) > (other.at ?? 0)) newest.set(slot, fact)
  }
  return new Set([...newest.values()].flatMap(({ sources }) => sources))
}

/** The words of a fact's subject and relation are those of the question, and the subject is among them. */
function answers({ subject, relation, role }: FactRow, asked: ReadonlyMap<string, number>): boolean {
  if (role !== 'human') return false
  const own = [...stemsOf(subject).counts.keys()]
  const stated = new Set([...own, ...stemsOf(relation).counts.keys()])
  return own.length > 0 && own.every((stem) => asked.has(stem)) && [...asked.keys()].every((stem) => stated.has(stem))
}

/** Raises the utterances with these ids to the best score, except those that are replaced. */
export function withAnswersFirst<T extends ScoredMemory>(
  scored: readonly T[],
  ids: ReadonlySet<string>,
  isReplaced: (memory: T) => boolean,
): readonly T[] {
  if (ids.size === 0) return scored
  const [first] = scored.toSorted((a, b) => b.score - a.score)
  return scored.map((memory) => {
    const isRaised = first !== undefined && ids.has(memory.id) && memory.score < first.score && !isReplaced(memory)
    return isRaised ? { ...memory, score: first.score, raisedBy: first.id } : memory
  })
}
