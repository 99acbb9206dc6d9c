/**
 * exact_pattern: memories with exactly these characters, in upper or lower case, oldest first. No character is syntax.
 */
import { and, contains } from '@loomlog/views/condition'
import { byTime } from '../memory.ts'
import { memoryOfTail, tailOf } from '../search/log-tail.ts'
import { maxHits } from './lexical-search.ts'
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
    checkNames(input, ['pattern', 'limit'])
    const pattern = text(input, 'pattern').toLowerCase()
    const limit = wholeNumber(input, 'limit', { fallback: 10, most: maxHits })
    const { space, views } = place
    // The tail first: an utterance that moves from the tail into the view between the two reads is then found in the
    // view.
    const tail = await tailOf(space, place)
    const found = await Promise.all(
      searchableTables(place).map(async (table) => {
        const where = and(contains('text', pattern), isCurrent)
        const orderBy = (['at', 'offset', 'id'] as const).map((by) => ({ by, direction: 'ascending' }) as const)
        const rows = await views.scan(table, { space, where, orderBy, limit: limit + 1 })
        return rows.map((row) => ({ ...row, at: row.at ?? row.validFrom, line: lineOf(table.toolLabel(row), row) }))
      }),
    )
    const inView = new Set(found.flat().map(({ id }) => id))
    const inTail = tail.utterances
      .map(memoryOfTail)
      .filter(({ id, text }) => !inView.has(id) && text.toLowerCase().includes(pattern))
      .map((memory) => {
        const line = lineOf(`utterance in conversation ${memory.conversation}`, { ...memory, validFrom: null })
        return { ...memory, line }
      })
    const all = [...found.flat(), ...inTail].sort(byTime)
    const shown = all.slice(0, limit)
    return {
      lines: shown.map((hit) => hit.line),
      ids: shown.map((hit) => hit.id),
      more: all.length > limit,
      ...unsearchedField(tail),
    }
  },
}
