/**
 * The baselines on messages of people and agents: BM25 by message, by chunks of 120 tokens, and with people's messages
 * before all others; the cosines of the memory's own vectors; and the fusion of both by ranks, with people's messages
 * before all others.
 */
import { terms } from '@loomlog/language/terms'
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import { bm25Of, byScore, fuseRankings } from './baselines.ts'
import type { Baselines } from './benchmark.ts'
import type { Sample } from './dataset.ts'
import type { Item } from './measures.ts'

const chunkTokens = 120
/** More than any score. */
const personBonus = 1e6

export function messageBaselines({ turns }: Sample): Baselines {
  const itemOf = (id: string, text: string): Item => ({ turns: [id], tokens: countTokens(`${text}\n`) })
  const texts = turns.map(({ speaker, words }) => `${speaker}: ${words}`)
  const items = turns.map(({ id }, at) => itemOf(id, texts[at] ?? ''))
  const chunks = turns.flatMap(({ id, speaker, words }) =>
    chunksOf(words).map((chunk) => ({ item: itemOf(id, `${speaker}: ${chunk}`), words: terms(chunk) })),
  )
  const byMessage = bm25Of(texts.map((text) => terms(text)))
  const byChunk = bm25Of(chunks.map(({ words }) => words))
  const bonus = turns.map(({ isPerson }) => (isPerson ? personBonus : 0))
  return {
    items,
    linear: null,
    rankings({ text }, cosines) {
      const query = terms(text)
      const scores = byMessage(query)
      const peopleFirst = (values: readonly number[]) =>
        byScore(
          items,
          values.map((value, at) => value + (bonus[at] ?? 0)),
        )
      return {
        'bm25 by message': byScore(items, scores),
        'bm25 by chunk': byScore(
          chunks.map(({ item }) => item),
          byChunk(query),
        ),
        'dense by message': byScore(items, cosines),
        "bm25, people's messages first": peopleFirst(scores),
        "bm25 and dense fused, people's messages first": peopleFirst(
          fuseRankings([
            [scores, 1],
            [cosines, 1],
          ]),
        ),
      }
    },
  }
}

/** Splits at line ends and sentence ends, so that a chunk stays within its size. */
function chunksOf(words: string): readonly string[] {
  const pieces = words.split(/(?<=\n)|(?<=[.!?]\s)/)
  const chunks: string[] = []
  let tokens = Number.POSITIVE_INFINITY
  for (const piece of pieces) {
    const size = countTokens(piece)
    if (tokens + size > chunkTokens) {
      chunks.push('')
      tokens = 0
    }
    chunks[chunks.length - 1] += piece
    tokens += size
  }
  return chunks
}
