/**
 * The baselines of recall, each a ranking of turns or of whole sessions: BM25 over stems without stop words, with
 * speaker and caption; cosines of the memory's own vectors; and their fusion by ranks.
 */
import { bm25Scores } from '@loomlog/language/bm25'
import { terms } from '@loomlog/language/terms'
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import type { Question, Sample, Turn } from './dataset.ts'
import type { Item } from './measures.ts'

/** As in the library rank_bm25, which published baselines use. */
const k1 = 1.5

/** The BM25 score of each text for the words of a query. */
export type Bm25 = (query: readonly string[]) => readonly number[]

export interface Texts {
  readonly turns: readonly Turn[]
  /** Indexes of the turns of each session, in order. */
  readonly sessions: readonly (readonly number[])[]
  readonly sessionOf: readonly number[]
  readonly items: readonly Item[]
  readonly turn: Bm25
  readonly dated: Bm25
  readonly near: Bm25
  readonly around: Bm25
  readonly session: Bm25
}

export function textsOf({ turns }: Sample): Texts {
  const words = turns.map(({ speaker, words }) => terms(`${speaker}: ${words}`))
  const sessions = [...Map.groupBy(turns.keys(), (at) => turns[at]?.session).values()]
  const sessionOf = turns.map((_, at) => sessions.findIndex((session) => session.includes(at)))
  const within = (at: number, reach: number) => reachable(sessions[sessionOf[at] ?? 0] ?? [], at, reach)
  return {
    turns,
    sessions,
    sessionOf,
    items: turns.map((turn) => ({ turns: [turn.id], tokens: tokensOf(turn) })),
    turn: bm25Of(words),
    dated: bm25Of(words.map((own, at) => [...own, ...terms(turns[at]?.date ?? '')])),
    near: bm25Of(words.map((_, at) => within(at, 1).flatMap((place) => words[place] ?? []))),
    around: bm25Of(words.map((_, at) => within(at, 3).flatMap((place) => words[place] ?? []))),
    session: bm25Of(sessions.map((places) => places.flatMap((place) => words[place] ?? []))),
  }
}

export function bm25Of(texts: readonly (readonly string[])[]): Bm25 {
  return (query) => bm25Scores(texts, query, k1)
}

function reachable(session: readonly number[], at: number, reach: number): readonly number[] {
  return session.filter((place) => Math.abs(place - at) <= reach)
}

function tokensOf({ speaker, words }: Turn): number {
  return countTokens(`${speaker}: ${words}\n`)
}

/** Highest first; equal scores in the order of the conversation. */
function order(scores: readonly number[]): readonly number[] {
  return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
}

export function byScore(items: readonly Item[], scores: readonly number[]): readonly Item[] {
  return order(scores).flatMap((at) => items[at] ?? [])
}

/** Weighted rank fusion: each ranking adds its weight divided by 60 plus the rank. */
export function fuseRankings(rankings: readonly (readonly [scores: readonly number[], weight: number])[]): number[] {
  const sum = (rankings[0]?.[0] ?? []).map(() => 0)
  for (const [scores, weight] of rankings) {
    for (const [rank, at] of order(scores).entries()) sum[at] = (sum[at] ?? 0) + weight / (60 + rank)
  }
  return sum
}

/** The mean over a turn and its neighbours in the session. */
export function smoothScores({ sessions, sessionOf }: Texts, values: readonly number[], reach: number): number[] {
  return values.map((_, at) => {
    const places = reachable(sessions[sessionOf[at] ?? 0] ?? [], at, reach)
    return places.reduce((sum, place) => sum + (values[place] ?? 0), 0) / places.length
  })
}

/** @param cosines of the question with every turn */
export function baselineRankings(texts: Texts, question: Question, cosines: readonly number[]) {
  const query = terms(question.text)
  const turn = texts.turn(query)
  const dated = texts.dated(query)
  const near = texts.near(query)
  const session = texts.session(query)
  const dense = smoothScores(texts, cosines, 1)
  return {
    'bm25 by turn': byScore(texts.items, turn),
    'bm25 by turn, one turn either side': byScore(texts.items, near),
    'dense by turn': byScore(texts.items, cosines),
    'weighted rank fusion': byScore(
      texts.items,
      fuseRankings([
        [dated, 2],
        [near, 2],
        [cosines, 1],
        [dense, 1],
      ]),
    ),
    'bm25 by session': byScore(
      texts.sessions.map((places) => sessionItem(texts, places)),
      session,
    ),
  }
}

function sessionItem({ items }: Texts, places: readonly number[]): Item {
  const within = places.flatMap((place) => items[place] ?? [])
  return { turns: within.flatMap(({ turns }) => turns), tokens: within.reduce((sum, { tokens }) => sum + tokens, 0) }
}
