/**
 * Utterances that state what holds now, where a question asks for just that: `Where does Maya live?` and the fact `Maya lives in Porto`. Its
 * subject and relation are the whole question, the relation has one value at a time, and no newer evidence replaces it. Other utterances may
 * share more words with the question (`I am looking at flats in Porto`), so the words alone don't bring it first.
 */
import { functionalRelation } from '@loomlog/language/relations'
import type { FactRow } from '@loomlog/views/tables/facts'
import type { Scored } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { stemsOf } from '../text/stems.ts'
import type { CandidateSearch } from './candidate-search.ts'
import type { TableHits } from './search-table.ts'
import { supersededAmong } from './superseded-facts.ts'

/** A question about the past asks for another value than the current one. */
const asksPast = /\b(?:did|was|were|had|used to|before|previously|formerly|originally|first)\b/i

/** Ids of utterances, those of the newest such fact of each slot. */
export async function currentAnswers(
  { rows }: TableHits<FactRow>,
  { query, space, scope }: Pick<CandidateSearch, 'query' | 'space' | 'scope'>,
  { views }: Pick<RecallOptions, 'views'>,
): Promise<ReadonlySet<string>> {
  const asked = stemsOf(query).counts
  if (asked.size === 0 || asksPast.test(query)) return new Set()
  const answering = [...rows.values()].filter((fact) => answers(fact, asked))
  const ids = answering.map(({ id }) => id)
  const superseded = await supersededAmong(ids, { space, asOf: scope.asOf }, views)
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

/** Raises these utterances to the best score, if they don't have it. */
export function withAnswersFirst<T extends Scored>(scored: readonly T[], ids: ReadonlySet<string>): readonly T[] {
  if (ids.size === 0) return scored
  const [first] = scored.toSorted((a, b) => b.score - a.score)
  return scored.map((memory) => {
    const isRaised = first !== undefined && ids.has(memory.id) && memory.score < first.score
    return isRaised ? { ...memory, score: first.score, raisedBy: first.id } : memory
  })
}
