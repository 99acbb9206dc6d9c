/** lexical_search: what was said, facts and entries of documents that hold some of the words, best first. */
import { searchTail } from '../search/log-tail.ts'
import { behind, known, lineOf, now, schema, searched, type Tool, text, wholeNumber } from './tool.ts'

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
    known(input, ['query', 'limit'])
    const query = text(input, 'query')
    const limit = wholeNumber(input, 'limit', { fallback: 10, most: maxHits })
    const { space, views } = place
    // The tail first: what it lacks because the view has it by now is then found there.
    const tail = await searchTail({ space, query, within: { filter: {}, asOf: {} } }, place)
    const found = await Promise.all(
      searched.map(async (table) => {
        const hits = await views.fullText(table, { space, query, where: now, limit: limit + 1 })
        const best = hits[0]?.score ?? 1
        return hits.map(({ row, score }) => ({
          id: row.id,
          share: score / best,
          line: lineOf(table.toolLabel(row), row),
        }))
      }),
    )
    const inView = new Set(found.flat().map(({ id }) => id))
    const unseen = tail.said
      .filter(({ id }) => !inView.has(id))
      .map((said) => {
        const line = lineOf(`utterance in conversation ${said.conversation}`, { ...said, validFrom: null })
        return { id: said.id, share: said.score, line }
      })
    const all = [...found.flat(), ...unseen].sort((a, b) => b.share - a.share || (a.id < b.id ? -1 : 1))
    const shown = all.slice(0, limit)
    return {
      lines: shown.map((hit) => hit.line),
      ids: shown.map((hit) => hit.id),
      more: all.length > limit,
      ...behind(tail),
    }
  },
}
