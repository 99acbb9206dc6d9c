/**
 * Recall: a question in, evidence out. Every kind of memory of one space is searched by words and by meaning, the scores of each
 * are brought to the same scale and added, and the best come back with their sources.
 *
 * What always holds: nothing of another space is ever looked at; what newer evidence took the place of is left out; and an utterance
 * is found as soon as it is in the log, because what the view has not seen yet is read from the log itself.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import type { Embedder } from '@loomlog/models/embedder'
import type { Codec } from '@loomlog/schemas/codec'
import type { ViewReader } from '@loomlog/views/reader'
import { searchDocuments } from './documents.ts'
import { searchTable, type TableSearch } from './hybrid.ts'
import { type Kind, kinds, type Memory } from './memory.ts'
import { supersededAmong } from './superseded.ts'
import { searchTail } from './tail.ts'
import { readingViews } from './view-failures.ts'

/** A query may be this long at most, in characters. */
export const maxQueryLength = 100_000
export const maxLimit = 200

export interface Recalled extends Memory {
  /** Higher is better; comparable within one answer. */
  readonly score: number
}

export interface RecallOptions {
  readonly log: Log
  readonly codec: Codec
  readonly views: ViewReader
  readonly embedder: Embedder
}

export interface RecallRequest {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  /** How many memories at most. Default 10. */
  readonly limit?: number
  /** Default: all kinds. */
  readonly kinds?: readonly Kind[]
}

/** Candidates looked at for each result wanted, in each search. */
const candidatesPerResult = 4
const tables = { box: 'boxes', event: 'events' } as const

/** @throws LoomlogError `input-invalid`, `view-corrupt`, `model-unavailable` where the query can't be embedded */
export async function recall(request: RecallRequest, options: RecallOptions): Promise<readonly Recalled[]> {
  const query = request.query.trim()
  const limit = request.limit ?? 10
  if (query === '') throw new LoomlogError('input-invalid', 'query is empty: expected words to look for')
  if (query.length > maxQueryLength) {
    throw new LoomlogError('input-invalid', `query has ${query.length} characters: expected at most ${maxQueryLength}`)
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new LoomlogError('input-invalid', `limit is ${limit}: expected a whole number from 1 to ${maxLimit}`)
  }
  const [vector = new Float32Array()] = await options.embedder.embed([query])
  const search = { space: request.space, query, vector, limit: limit * candidatesPerResult }
  const wanted = new Set(request.kinds ?? kinds)
  const searches = () => Promise.all([...wanted].map((kind) => searchKind(kind, search, options)))
  const found = await readingViews(searches)
  return found
    .flat()
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
}

async function searchKind(kind: Kind, search: TableSearch, options: RecallOptions): Promise<readonly Recalled[]> {
  const { views } = options
  switch (kind) {
    case 'document':
      return searchDocuments(search, views)
    case 'utterance': {
      // The tail first: what it lacks because the view has it by now is then found there.
      const tail = await searchTail(search.space, search.query, options)
      const seen = await searchTable(kind, 'utterances', search, views)
      const inView = new Set(seen.map((memory) => memory.id))
      return [...seen, ...tail.filter((memory) => !inView.has(memory.id))]
    }
    case 'fact': {
      const facts = await searchTable(kind, 'facts', search, views)
      const ids = facts.map((fact) => fact.id)
      const superseded = await supersededAmong(ids, search.space, views)
      return facts.filter((fact) => !superseded.has(fact.id))
    }
    default:
      return searchTable(kind, tables[kind], search, views)
  }
}
