/**
 * The preparation of a recall: the analysis of the question, its vectors, and the wait for the views. Each part runs
 * once, so a search that is retried for a damaged shard neither pays for the model again nor waits again.
 */
import type { Embedder } from '@loomlog/models/embedder'
import { inSpan } from '@loomlog/telemetry/spans'
import { once } from './once.ts'
import { textsToEmbed } from './ranking/rank-utterances.ts'
import type { RecallOptions } from './recall-options.ts'
import { analyseQuestion, namesBeyondQuestion, type QuestionAnalysis } from './request/question-analysis.ts'
import { waitForViews } from './request/read-your-writes.ts'
import type { CheckedRequest } from './request/request.ts'
import type { CandidateSearch } from './search/candidate-search.ts'

export interface PreparedQuestion {
  /** Null: no model was to analyse the question. */
  readonly understood: QuestionAnalysis | null
  /** The first is the question itself. */
  readonly queries: readonly Pick<CandidateSearch, 'query' | 'vectors'>[]
}

export interface Preparation {
  question(): Promise<PreparedQuestion>
  /** Waits for the position of the request, if it has one. */
  viewsReached(): Promise<void>
}

export function prepare(request: CheckedRequest, options: RecallOptions): Preparation {
  const { after } = request
  return {
    question: once(() => preparedQuestion(request, options)),
    viewsReached: once(async () => {
      if (after !== null) await inRecallSpan('wait for views', () => waitForViews(after, { ...options, ...request }))
    }),
  }
}

async function preparedQuestion(
  { query, understanding }: CheckedRequest,
  { model = null, embedder, signal }: RecallOptions,
): Promise<PreparedQuestion> {
  const understood = understanding === 'rules' ? null : await analyseQuestion(query, model, signal)
  signal?.throwIfAborted()
  const queries = await inRecallSpan('embed question', () => embeddedQueries(query, understood, { embedder, signal }))
  return { understood, queries }
}

/** Runs a part of the recall in a span of its own. */
export function inRecallSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  return inSpan({ name, kind: 'INTERNAL', attributes: {} }, work)
}

/** Every query with its vectors. The question itself is also searched by the words that a model named beyond it. */
async function embeddedQueries(
  query: string,
  understood: QuestionAnalysis | null,
  { embedder, signal }: { readonly embedder: Embedder; readonly signal: AbortSignal | undefined },
): Promise<PreparedQuestion['queries']> {
  const queries = understood?.queries ?? [query]
  const further = understood === null || understood.by === 'rules' ? [] : namesBeyondQuestion(understood)
  const texts = queries.map(textsToEmbed)
  const embedded = await embedder.embed(texts.flat(), { signal })
  return queries.map((each, at) => {
    const from = texts.slice(0, at).flat().length
    const vectors = embedded.slice(from, from + (texts[at]?.length ?? 0))
    return { query: at === 0 ? [each, ...further].join(' ') : each, vectors }
  })
}
