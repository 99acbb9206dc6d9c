/**
 * What was said, ranked as evidence: each candidate with the probability that it answers the question, from all that speaks for it. Facts
 * and events count for the utterances they were made of, and are not shown beside them: one evidence comes once.
 */

import type { Scored } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { asStatement, questionFrom } from '../request/question.ts'
import type { Within } from '../request/scope.ts'
import type { PoolSearch } from '../search/candidate-tables.ts'
import { type Candidate, poolOf } from '../search/candidates.ts'
import { type Replaced, withReplacements } from '../search/replacements.ts'
import { type Features, featuresOf } from './features.ts'
import { probabilities, type Weights } from './weights.ts'

export interface UtteranceSearch {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  /** Of the question as it is. */
  readonly vector: Float32Array
  /** Of the question as a statement; null where it can't be made one. */
  readonly statement: Float32Array | null
  readonly within: Within
  readonly events?: PoolSearch['events']
  readonly tail?: PoolSearch['tail']
}

export interface Examined {
  readonly candidates: readonly Pick<Candidate, 'memory'>[]
  readonly features: Features
  readonly replaced: Replaced
  readonly unsearched: number
}

export async function examine(search: UtteranceSearch, options: RecallOptions): Promise<Examined> {
  const { vector, statement, events = 'speak' } = search
  const pool = await poolOf({ ...search, events, vectors: statement ? [vector, statement] : [vector] }, options)
  const said = pool.candidates.filter(({ memory }) => memory.kind === 'utterance')
  const newest = Math.max(0, ...said.map(({ memory }) => memory.at ?? 0))
  const question = questionFrom(search.query, newest)
  const features = featuresOf(question, pool.candidates)
  if (events === 'speak') return { ...pool, features }
  return { ...pool, features: new Map([...features].filter(([name]) => !name.startsWith('event'))) }
}

/** Without what nobody said, which stands last. */
export function saidAmong(examined: Examined): Examined {
  return { ...examined, candidates: examined.candidates.filter(({ memory }) => memory.kind === 'utterance') }
}

/** Each with how likely it is to be evidence; in no order. */
export function scoredBy(weights: Weights, { candidates, features, replaced }: Examined): readonly Scored[] {
  const scores = probabilities(features, candidates.length, weights)
  const scored = candidates.map(({ memory }, at) => ({ ...memory, score: scores[at] ?? 0 }))
  return withReplacements(scored, replaced)
}

/** The question as it is, and as a statement where it can be made one: what is embedded. */
export function targets(query: string): readonly string[] {
  const statement = asStatement(query)
  return statement === null ? [query] : [query, statement]
}
