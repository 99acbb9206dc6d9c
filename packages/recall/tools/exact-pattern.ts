/** exact_pattern: what holds exactly these characters, whatever their case; nothing in them is syntax. Oldest first. */
import { sql } from '@loomlog/views/condition'
import type { FoundRow } from '@loomlog/views/row'
import { byTime } from '../memory.ts'
import { memoryOfTail, tailOf } from '../search/log-tail.ts'
import { maxHits } from './lexical-search.ts'
import { behind, kindOf, known, lineOf, now, schema, type Tool, text, wholeNumber } from './tool.ts'

const tables = ['utterances', 'facts', 'entries'] as const

export const exactPattern: Tool = {
  name: 'exact_pattern',
  description:
    'Finds utterances, facts and entries that hold exactly these characters, upper or lower case. Oldest first.',
  input: schema(
    {
      pattern: { type: 'string', description: 'a name, a number, a phrase' },
      limit: { type: 'integer', minimum: 1, maximum: maxHits },
    },
    ['pattern'],
  ),
  async run(input, place) {
    known(input, ['pattern', 'limit'])
    const pattern = text(input, 'pattern').toLowerCase()
    const limit = wholeNumber(input, 'limit', { fallback: 10, most: maxHits })
    const { space, views } = place
    // The tail first: what it lacks because the view has it by now is then found there.
    const tail = await tailOf(space, place)
    const found = await Promise.all(
      tables.map(async (table) => {
        const view = await views.view(table, space)
        const where = sql`strpos(lower(text), ${pattern}) > 0 AND ${now(table)}`
        const orderBy = (['at', 'offset', 'id'] as const).map((by) => ({ by, direction: 'ascending' }) as const)
        const rows: readonly FoundRow[] =
          (await view?.shard.scan(table, { space, where, orderBy, limit: limit + 1 })) ?? []
        return rows.map((row) => ({ ...row, at: row.at ?? row.validFrom, line: lineOf(kindOf(table, row), row) }))
      }),
    )
    const inView = new Set(found.flat().map(({ id }) => id))
    const said = tail.said
      .map(memoryOfTail)
      .filter(({ id, text }) => !inView.has(id) && text.toLowerCase().includes(pattern))
      .map((memory) => {
        const line = lineOf(`utterance in conversation ${memory.conversation}`, { ...memory, validFrom: null })
        return { ...memory, line }
      })
    const all = [...found.flat(), ...said].sort(byTime)
    const shown = all.slice(0, limit)
    return {
      lines: shown.map((hit) => hit.line),
      ids: shown.map((hit) => hit.id),
      more: all.length > limit,
      ...behind(tail),
    }
  },
}
