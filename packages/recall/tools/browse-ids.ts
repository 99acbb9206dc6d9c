/** browse_ids: the documents of the space with their summaries, in the order of their ids. */
import { after, and } from '@loomlog/views/condition'
import { documents } from '@loomlog/views/tables/documents'
import { checkNames, columnsLine, isCurrent, schema, type Tool, text, wholeNumber } from './tool.ts'

const maxBrowsed = 200

export const browseIds: Tool = {
  name: 'browse_ids',
  description: 'Lists documents with their summaries, by id. For more, give the last id as `after`.',
  input: schema(
    {
      after: { type: 'string', description: 'the last id that was seen' },
      limit: { type: 'integer', minimum: 1, maximum: maxBrowsed },
    },
    [],
  ),
  async run(input, { space, views }) {
    checkNames(input, ['after', 'limit'])
    const limit = wholeNumber(input, 'limit', { fallback: 50, most: maxBrowsed })
    const where = input.after === undefined ? isCurrent : and(isCurrent, after('id', text(input, 'after')))
    const orderBy = [{ by: 'id', direction: 'ascending' } as const]
    const rows = await views.scan(documents, { space, where, orderBy, limit: limit + 1 })
    const shown = rows.slice(0, limit)
    const lines = shown.map((row) => columnsLine(row.id, 'document', row.text.replace('\n', ' — ')))
    return { lines, ids: [], more: rows.length > limit }
  },
}
