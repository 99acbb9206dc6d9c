/**
 * Candidates from the log tail: utterances that no view has yet. They are found by their words, the newest regardless
 * of their words, and compared with the question by vectors that are computed for it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
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

/** Newest utterances that are candidates regardless of their words, as a view finds utterances by meaning. */
export const maxNewest = 200
/** Newest candidates that a fast embedder compares with a question, some .1 ms each: no view has their vectors yet. */
const maxCompared = 500
/** Newest ones that share a word with the question, which any other embedder compares with it. */
const maxComparedSlowly = 16
/** Texts after which other requests have their turn: up to 20 ms of a fast embedder. */
const embeddedAtOnce = 50

export interface TailCandidates extends Tail {
  /** The utterances to compare with the question by their meaning. */
  readonly compared: ReadonlySet<string>
}

type TailSearch = Pick<CandidateSearch, 'space' | 'query' | 'scope' | 'tail'>
type ReadingOptions = TailOptions & Pick<RecallOptions, 'onCandidateFailure' | 'signal'>

/**
 * The utterances of the tail that are in scope and share a word with the query, and the newest, in the order of the
 * log. To a question without a meaning, such as an emoji, nothing is near in a view, and none is added here.
 */
export async function tailCandidates(
  search: TailSearch & Pick<CandidateSearch, 'vectors'>,
  options: ReadingOptions & Pick<RecallOptions, 'embedder'>,
): Promise<TailCandidates> {
  const { utterances: inScope, unsearched } = await tailInScope(search, options)
  const matches = await sharingWords(inScope, search.query, options)
  const hasMeaning = search.vectors.some((vector) => vector.some((value) => value !== 0))
  const chosen = new Set([...matches, ...(hasMeaning ? inScope.slice(-maxNewest) : [])])
  const utterances = inScope.filter((utterance) => chosen.has(utterance))
  const compared = options.embedder.isFast ? utterances.slice(-maxCompared) : matches.slice(-maxComparedSlowly)
  return { utterances, unsearched, compared: new Set(compared.map(({ event }) => event.id)) }
}

/** The utterances of the tail that are in scope and share a word with the query. */
export async function matchingTail(search: TailSearch, options: ReadingOptions): Promise<Tail> {
  const { utterances, unsearched } = await tailInScope(search, options)
  return { utterances: await sharingWords(utterances, search.query, options), unsearched }
}

async function tailInScope({ space, scope, tail }: TailSearch, options: TailOptions): Promise<Tail> {
  const { utterances, unsearched } = await (tail?.() ?? tailOf(space, options))
  return { utterances: utterances.filter(({ event }) => isInScope(event, scope)), unsearched }
}

async function sharingWords(
  utterances: readonly TailUtterance[],
  query: string,
  options: ReadingOptions,
): Promise<readonly TailUtterance[]> {
  const queryStems = stemsOf(query).counts
  const sharesWord = ({ event }: TailUtterance) =>
    [...stemsOf(`${event.speaker}: ${utteranceText(event)}`).counts.keys()].some((stem) => queryStems.has(stem))
  const matches = await eachCandidate(utterances, (utterance) => (sharesWord(utterance) ? [utterance] : []), {
    ...options,
    nameOf: nameOfTail,
  })
  return matches.flat()
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
  const own: Float32Array[] = []
  for (let from = 0; from < memories.length; from += embeddedAtOnce) {
    if (from > 0) await nextTurn()
    const texts = memories.slice(from, from + embeddedAtOnce).map(({ text }) => text)
    own.push(...(await embedder.embed(texts, { signal })))
  }
  const cosinesOf = (at: number) => vectors.map((vector) => Math.max(0, cosine(vector, own[at] ?? vector)))
  return new Map(memories.map(({ id }, at) => [id, cosinesOf(at)]))
}
