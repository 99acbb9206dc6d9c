/**
 * Candidates from the log tail: utterances that no view has yet. They are found by their words and embedded for the
 * question.
 */
import { cosine } from '@loomlog/language/cosine'
import { spaceKey } from '@loomlog/schemas/ids'
import { utteranceText } from '@loomlog/schemas/utterance-text'
import { eachCandidate } from '../each-candidate.ts'
import type { CandidateName, Memory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { isInScope } from '../request/filter.ts'
import { stemsOf } from '../text/stems.ts'
import type { CandidateSearch } from './candidate-search.ts'
import { memoryOfTail, type Tail, type TailOptions, type TailUtterance, tailOf } from './log-tail.ts'

/** The utterances of the tail that are in scope and share a word with the query. */
export async function matchingTail(
  { space, query, scope, tail }: Pick<CandidateSearch, 'space' | 'query' | 'scope' | 'tail'>,
  options: TailOptions & Pick<RecallOptions, 'onCandidateFailure' | 'signal'>,
): Promise<Tail> {
  const queryStems = stemsOf(query).counts
  const sharesWord = (words: string) => [...stemsOf(words).counts.keys()].some((stem) => queryStems.has(stem))
  const { utterances, unsearched } = await (tail?.() ?? tailOf(space, options))
  const isMatch = ({ event }: TailUtterance) =>
    isInScope(event, scope) && sharesWord(`${event.speaker}: ${utteranceText(event)}`)
  const matches = await eachCandidate(utterances, (utterance) => (isMatch(utterance) ? [utterance] : []), {
    ...options,
    nameOf: nameOfTail,
  })
  return { utterances: matches.flat(), unsearched }
}

/** The utterances of the tail as memories. */
export async function memoriesOfTail(
  utterances: readonly TailUtterance[],
  options: Pick<RecallOptions, 'onCandidateFailure' | 'signal'>,
): Promise<readonly Memory[]> {
  return await eachCandidate(utterances, memoryOfTail, { ...options, nameOf: nameOfTail })
}

export function nameOfTail({ event }: TailUtterance): CandidateName {
  return { id: event.id, space: spaceKey(event.tenant, event.space), kind: 'utterance' }
}

/** By id, the cosine with each vector of the search. */
export async function tailCosinesOf(
  memories: readonly Memory[],
  { vectors }: Pick<CandidateSearch, 'vectors'>,
  { embedder, signal }: RecallOptions,
): Promise<ReadonlyMap<string, readonly number[]>> {
  if (memories.length === 0) return new Map()
  const own = await embedder.embed(
    memories.map(({ text }) => text),
    { signal },
  )
  const cosinesOf = (at: number) => vectors.map((vector) => Math.max(0, cosine(vector, own[at] ?? vector)))
  return new Map(memories.map(({ id }, at) => [id, cosinesOf(at)]))
}
