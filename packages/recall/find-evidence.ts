/**
 * Finds and ranks the evidence for a request, in every space and with every query of it. `recall()` packs the result,
 * and `explain()` also shows the features and contributions that led to it.
 */
import { inSpan } from '@loomlog/telemetry/spans'
import { entries as entriesTable } from '@loomlog/views/tables/entries'
import { facts as factTable } from '@loomlog/views/tables/facts'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import type { Memory, ScoredMemory } from './memory.ts'
import { inRecallSpan, type Preparation } from './preparation.ts'
import { bestFirst, scoredByRank, withoutDuplicates, withoutRepeats } from './ranking/merge-kinds.ts'
import {
  type FeaturedCandidates,
  findFeaturedCandidates,
  onlyUtterances,
  scoreCandidates,
} from './ranking/rank-utterances.ts'
import { learnedWeights } from './ranking/weights.ts'
import type { RecallOptions } from './recall-options.ts'
import type { RecallResult } from './recall-result.ts'
import type { CheckedRequest } from './request/request.ts'
import type { CandidateSearch } from './search/candidate-search.ts'
import { searchPartitions } from './search/document-partitions.ts'
import { exclusionsOf } from './search/exclusions.ts'
import { memoizedTail, type Tail } from './search/log-tail.ts'
import type { RankedMemory } from './search/rank-rows.ts'
import { searchKind } from './search/search-kind.ts'
import type { TableSearch } from './search/search-table.ts'

/** Candidates of each search, for each item of the result. */
const candidatesPerResult = 4
const maxCandidates = 800
/** The tables that a search for utterances reads. */
const readForUtterances = [utteranceTable, factTable, entriesTable]

export interface RankedEvidence {
  /** Best first. */
  readonly ranked: readonly ScoredMemory[]
  /** Fields of the result that the search decides. */
  readonly fields: Pick<RecallResult, 'understood' | 'unsearched'>
  readonly searches: readonly SpaceSearchResult[]
  /** The log tail of each space, read once. */
  readonly tails: ReadonlyMap<string, () => Promise<Tail>>
}

/** One query in one space. */
export interface SpaceSearchResult {
  readonly memories: readonly ScoredMemory[]
  /** Candidates that were ranked by their features; null where utterances were not searched. */
  readonly featured: FeaturedCandidates | null
  /** Memories of derived kinds that were searched by themselves. */
  readonly derived: readonly RankedMemory[]
}

type SpaceSearch = TableSearch & CandidateSearch

export async function findEvidence(
  request: CheckedRequest,
  preparation: Preparation,
  options: RecallOptions,
): Promise<RankedEvidence> {
  const attributes = { 'loomlog.space': request.spaces.join(), 'loomlog.mode': request.mode }
  return await inSpan({ name: 'recall', kind: 'INTERNAL', attributes }, () =>
    rankedEvidence(request, preparation, { ...options, views: options.views.forOneRecall() }),
  )
}

async function rankedEvidence(
  request: CheckedRequest,
  preparation: Preparation,
  options: RecallOptions,
): Promise<RankedEvidence> {
  const [{ understood, queries }] = await Promise.all([preparation.question(), loadSpaces(request, options)])
  const limit = Math.min(request.limit * candidatesPerResult, maxCandidates)
  await preparation.viewsReached()
  options.signal?.throwIfAborted()
  const { scope, mode } = request
  const tails = new Map(request.spaces.map((space) => [space, memoizedTail(space, options)]))
  const spaceSearches = [...tails].flatMap(([space, tail]) =>
    queries.map((query) => ({ ...query, space, limit, scope, withEvents: mode !== 'content', tail })),
  )
  const exclude = await exclusionsOf(request, spaceSearches, options)
  const searches = await Promise.all(
    spaceSearches.map((search) => inRecallSpan('search space', () => searchSpace(request, search, options))),
  )
  const memories = searches.flatMap((search) => search.memories)
  const isWanted = (memory: Memory) => !exclude.some((excludes) => excludes(memory))
  const wanted = memories.filter(isWanted)
  const ranked = bestFirst(queries.length > 1 ? withoutDuplicates(wanted) : wanted)
  const severalKinds = request.kinds !== null && request.kinds.size > 1
  const featured = searches.flatMap((search) => search.featured ?? [])
  const unsearched = Math.max(0, ...featured.map((each) => each.unsearched))
  return {
    ranked: severalKinds ? withoutRepeats(bestFirst(scoredByRank(ranked))) : ranked,
    fields: {
      ...(understood && { understood }),
      ...(unsearched > 0 && { unsearched }),
    },
    searches,
    tails,
  }
}

/** Reads spaces into memory while the question is embedded, all tables of a space at once. */
async function loadSpaces({ spaces, kinds }: CheckedRequest, { views }: RecallOptions): Promise<void> {
  if (kinds === null) await Promise.all(spaces.map((space) => views.load(readForUtterances, space)))
}

/** Without chosen kinds, utterances are searched, and facts count for the utterances they were derived from. */
async function searchSpace(
  request: CheckedRequest,
  search: SpaceSearch,
  options: RecallOptions,
): Promise<SpaceSearchResult> {
  const { mode, kinds } = request
  // A row has one vector, so kinds that are searched by themselves are compared with the question alone.
  const ofQuestion = { ...search, vectors: search.vectors.slice(0, 1) }
  if (mode === 'documents') {
    const derived = await searchPartitions(ofQuestion, options.views)
    return { memories: derived.map(withoutContributions), featured: null, derived }
  }
  if (kinds === null) {
    const featured = await findFeaturedCandidates(search, options)
    return { memories: scoreCandidates(learnedWeights, featured, candidatesToCheck(request)), featured, derived: [] }
  }
  const ofKinds = await Promise.all(
    [...kinds].map(async (kind): Promise<SpaceSearchResult> => {
      if (kind !== 'utterance') {
        const derived = await searchKind(kind, ofQuestion, options.views)
        return { memories: derived.map(withoutContributions), featured: null, derived }
      }
      const featured = onlyUtterances(await findFeaturedCandidates(search, options))
      return { memories: scoreCandidates(learnedWeights, featured, candidatesToCheck(request)), featured, derived: [] }
    }),
  )
  return {
    memories: ofKinds.flatMap(({ memories }) => memories),
    featured: ofKinds.find(({ featured }) => featured !== null)?.featured ?? null,
    derived: ofKinds.flatMap(({ derived }) => derived),
  }
}

/** How many of the best candidates are checked for being outdated. With exclusions, more of them reach the result. */
function candidatesToCheck({ limit, exclude, excludeLast }: CheckedRequest): number {
  return exclude.size + excludeLast.length > 0 ? maxCandidates : limit * candidatesPerResult
}

function withoutContributions({ contributions: _, ...memory }: RankedMemory): ScoredMemory {
  return memory
}
