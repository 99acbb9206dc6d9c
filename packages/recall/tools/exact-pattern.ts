/** exact_pattern: what holds exactly these characters, whatever their case; nothing in them is syntax. Oldest first. */
import { sql } from '@loomlog/views/condition'
import type { FoundRow } from '@loomlog/views/row'
import { readTail } from '../tail.ts'
import { maxHits } from './lexical-search.ts'
import { kindOf, known, lineOf, now, schema, type Tool, text, wholeNumber } from './tool.ts'

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
    const unseen = (await readTail(space, place)).map(({ event }) => event)
    const found = await Promise.all(
      tables.map(async (table) => {
        const view = await views.view(table, space)
        const where = sql`strpos(lower(text), ${pattern}) > 0 AND ${now(table)}`
        const orderBy = [{ by: 'at', direction: 'ascending' } as const, { by: 'id', direction: 'ascending' } as const]
        const rows: readonly FoundRow[] =
          (await view?.shard.scan(table, { space, where, orderBy, limit: limit + 1 })) ?? []
        return rows.map((row) => ({ id: row.id, at: row.at ?? row.validFrom, line: lineOf(kindOf(table, row), row) }))
      }),
    )
    const said = unseen
      .filter((event) => `${event.speaker}: ${event.text}`.toLowerCase().includes(pattern))
      .map((event) => {
        const row = { id: event.id, at: event.at, validFrom: null, text: `${event.speaker}: ${event.text}` }
        return { id: event.id, at: event.at, line: lineOf(`utterance in conversation ${event.conversation}`, row) }
      })
    const all = [...found.flat(), ...said].sort((a, b) => (a.at ?? 0) - (b.at ?? 0) || (a.id < b.id ? -1 : 1))
    const shown = all.slice(0, limit)
    return { lines: shown.map((hit) => hit.line), ids: shown.map((hit) => hit.id), more: all.length > limit }
  },
}
