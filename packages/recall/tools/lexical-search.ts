/** lexical_search: utterances, facts and entries of documents with some of the words, best first. */
import type { Memory } from '../memory.ts'
import { memoryOfTail } from '../search/log-tail.ts'
import { matchingTail } from '../search/tail-candidates.ts'
import { stemsOf } from '../text/stems.ts'
import {
  checkNames,
  isCurrent,
  lineOf,
  schema,
  searchableTables,
  type Tool,
  text,
  unsearchedField,
  wholeNumber,
} from './tool.ts'

export const maxHits = 50

export const lexicalSearch: Tool = {
  name: 'lexical_search',
  description: 'Searches utterances, facts and entries of documents for words (BM25). Best first.',
  input: schema(
    {
      query: { type: 'string', description: 'words to look for' },
      limit: { type: 'integer', minimum: 1, maximum: maxHits },
    },
    ['query'],
  ),
  async run(input, place) {
    checkNames(input, ['query', 'limit'])
    const query = text(input, 'query')
    const limit = wholeNumber(input, 'limit', { fallback: 10, most: maxHits })
    const { space, views } = place
    // The tail first: an utterance that moves from the tail into the view between the two reads is then found in the
    // view.
    const tail = await matchingTail({ space, query, scope: { filter: {}, asOf: {} } }, place)
    const found = await Promise.all(
      searchableTables(place).map(async (table) => {
        const hits = await views.fullText(table, { space, query, where: isCurrent, limit: limit + 1 })
        const best = hits[0]?.score ?? 1
        return hits.map(({ row, score }) => ({
          id: row.id,
          share: score / best,
          line: lineOf(table.toolLabel(row), row),
        }))
      }),
    )
    const inView = new Set(found.flat().map(({ id }) => id))
    const asked = [...stemsOf(query).counts.keys()]
    const shareIn = (memory: Memory) => {
      const { counts } = stemsOf(memory.text)
      return asked.filter((stem) => counts.has(stem)).length / asked.length
    }
    const inTail = tail.utterances
      .map(memoryOfTail)
      .filter(({ id }) => !inView.has(id))
      .map((memory) => {
        const line = lineOf(`utterance in conversation ${memory.conversation}`, { ...memory, validFrom: null })
        return { id: memory.id, share: shareIn(memory), line }
      })
    const all = [...found.flat(), ...inTail].sort((a, b) => b.share - a.share || (a.id < b.id ? -1 : 1))
    const shown = all.slice(0, limit)
    return {
      lines: shown.map((hit) => hit.line),
      ids: shown.map((hit) => hit.id),
      more: all.length > limit,
      ...unsearchedField(tail),
    }
  },
}
