/**
 * Recall: a question in, evidence out. Utterances, facts and events of the spaces that are asked are searched by words and by meaning, and
 * what was said comes back, by how likely it is to be evidence, with its sources; or the kinds of memory that were chosen, each
 * searched by itself.
 *
 * What always holds: nothing of another space is ever looked at; what newer evidence took the place of is left out, or comes with what
 * holds now; and an utterance is found as soon as it is in the log, because what the view has not seen yet is read from the log itself.
 */
import type { Embedder } from '@loomlog/models/embedder'
import type { Kind, Scored } from './memory.ts'
import { pack } from './packing/pack.ts'
import { answerable } from './ranking/answerable.ts'
import { bestOfEach, byPlace, withoutRepeats } from './ranking/merge-kinds.ts'
import {
  type Examined,
  examine,
  saidAmong,
  scoredBy,
  targets,
  type UtteranceSearch,
} from './ranking/rank-utterances.ts'
import { learnedWeights } from './ranking/weights.ts'
import type { RecallOptions } from './recall-options.ts'
import type { Answer } from './recall-result.ts'
import { untilReached } from './request/read-your-writes.ts'
import { type CheckedRequest, checked, type RecallRequest } from './request/request.ts'
import { type Understood, understand, wordsBeside } from './request/understanding.ts'
import { searchPartitions } from './search/document-partitions.ts'
import { searchDocuments } from './search/documents.ts'
import { type Similar, type Similarity, searchTable, type TableSearch } from './search/hybrid.ts'
import { tailOnce } from './search/log-tail.ts'
import { supersededAmong } from './search/superseded-facts.ts'
import { withTimelines } from './search/timelines.ts'
import { readingViews } from './search/view-failures.ts'

/** Candidates looked at for each result wanted, in each search. */
const candidatesPerResult = 4
const maxCandidates = 800

/**
 * @throws LoomlogError `input-invalid`, `view-corrupt`, `views-behind` where the views lack what was to be waited for, `model-unavailable`
 * where the query can't be embedded
 */
export async function recall(request: RecallRequest, options: RecallOptions): Promise<Answer> {
  const asked = checked(request)
  const { ranked, ...told } = await find(asked, options)
  return { ...pack(ranked, asked), ...told }
}

/** Told of what was looked at, and all that spoke for it. */
export interface Watcher {
  examined(examined: Examined): void
  /** @param by with the score that it had by itself, before kinds were mixed */
  similar(memory: Scored, by: readonly Similarity[]): void
}

const nobody: Watcher = { examined: () => {}, similar: () => {} }

export interface Found extends Pick<Answer, 'answerable' | 'understood' | 'unsearched'> {
  /** All that may be evidence, best first. */
  readonly ranked: readonly Scored[]
}

export async function find(asked: CheckedRequest, options: RecallOptions, watcher = nobody): Promise<Found> {
  const understood = asked.understanding === 'rules' ? null : await understand(asked.query, options.model ?? null)
  const queries = await embedded(asked.query, understood, options.embedder)
  const limit = Math.min(asked.limit * candidatesPerResult, maxCandidates)
  const { all, chances, unsearched } = await readingViews(options.views, async () => {
    // Made anew where views are read again: nothing counts that a search which failed had found.
    const chances: number[] = []
    const behind = [0]
    const examining: Watcher = {
      ...watcher,
      examined(examined) {
        watcher.examined(examined)
        behind.push(examined.unsearched)
        chances.push(answerable(examined.features, examined.candidates.length))
      },
    }
    if (asked.after !== null) await untilReached(asked.after, { ...options, ...asked })
    const searches = asked.spaces.flatMap((space) => {
      const tail = tailOnce(space, options)
      return queries.map((query) => ({ ...query, space, limit, within: asked.within, tail }))
    })
    const all = await Promise.all(searches.map((search) => searchSpace(asked, search, options, examining)))
    return { all: all.flat(), chances, unsearched: Math.max(...behind) }
  })
  const found = bestFirst(queries.length > 1 ? bestOfEach(all) : all)
  const isMixed = asked.chosen === 'kinds' && asked.kinds.size > 1
  return {
    ranked: isMixed ? withoutRepeats(bestFirst(byPlace(found))) : found,
    ...(understood && { understood }),
    ...(unsearched > 0 && { unsearched }),
    ...(asked.chosen === 'nothing' && { answerable: Math.max(...chances) }),
  }
}

/** Every query with its vectors; the question itself also with what was named beyond its words. */
async function embedded(query: string, understood: Understood | null, embedder: Embedder) {
  const queries = understood?.queries ?? [query]
  const beside = understood === null || understood.by === 'rules' ? [] : wordsBeside(understood)
  const texts = queries.map(targets)
  const vectors = await embedder.embed(texts.flat())
  return queries.map((each, at) => {
    const from = texts.slice(0, at).flat().length
    const [vector = new Float32Array(), statement = null] = vectors.slice(from, from + (texts[at]?.length ?? 0))
    return { query: at === 0 ? [each, ...beside].join(' ') : each, vector, statement }
  })
}

/** Of what is equally likely, what took the other's place, and then the newest: it may have. */
export function bestFirst(found: readonly Scored[]): readonly Scored[] {
  const isReplaced = ({ replacedBy }: Scored) => Number(replacedBy !== undefined)
  return found.toSorted(
    (a, b) => b.score - a.score || isReplaced(a) - isReplaced(b) || (b.at ?? 0) - (a.at ?? 0) || (a.id < b.id ? -1 : 1),
  )
}

type SpaceSearch = TableSearch & UtteranceSearch

/** Where nothing was chosen, what was made of utterances speaks for them, and is not shown beside them. */
async function searchSpace(
  { mode, kinds, chosen }: CheckedRequest,
  search: SpaceSearch,
  options: RecallOptions,
  watcher: Watcher,
): Promise<readonly Scored[]> {
  if (mode === 'documents') return told(await searchPartitions(search, options.views), watcher)
  const within: SpaceSearch = { ...search, events: mode === 'content' ? 'left out' : 'speak' }
  if (chosen === 'kinds') {
    return (await Promise.all([...kinds].map((kind) => searchKind(kind, within, options, watcher)))).flat()
  }
  const examined = await examine(within, options)
  watcher.examined(examined)
  return scoredBy(learnedWeights, examined)
}

/** What spoke for each is the watcher's, not the answer's. */
function told(found: readonly Similar[], watcher: Watcher): readonly Scored[] {
  return found.map(({ by, ...memory }) => {
    watcher.similar(memory, by)
    return memory
  })
}

async function searchKind(
  kind: Kind,
  search: SpaceSearch,
  options: RecallOptions,
  watcher: Watcher,
): Promise<readonly Scored[]> {
  if (kind !== 'utterance') return told(await searchDerived(kind, search, options), watcher)
  const examined = saidAmong(await examine(search, options))
  watcher.examined(examined)
  return scoredBy(learnedWeights, examined)
}

async function searchDerived(
  kind: Exclude<Kind, 'utterance'>,
  search: SpaceSearch,
  { views }: RecallOptions,
): Promise<readonly Similar[]> {
  switch (kind) {
    case 'document':
    case 'profile':
      return searchDocuments(kind, search, views)
    case 'fact': {
      const facts = await searchTable(kind, 'facts', search, views)
      const ids = facts.map((fact) => fact.id)
      const superseded = await supersededAmong(ids, { space: search.space, asOf: search.within.asOf }, views)
      return facts.filter((fact) => !superseded.has(fact.id))
    }
    case 'event':
      return withTimelines(await searchTable(kind, 'events', search, views), search, views)
    case 'box':
      return searchTable(kind, 'boxes', search, views)
  }
}
