/** read_lines: a range of lines of a document, or of the utterances of a conversation. */
import { and, equals } from '@loomlog/views/condition'
import { utterances } from '@loomlog/views/tables/utterances'
import { byTime, type Memory } from '../memory.ts'
import { memoryOfTail, tailOf } from '../search/log-tail.ts'
import { documentLines } from './document-lines.ts'
import {
  checkNames,
  isCurrent,
  lineOf,
  schema,
  shortenLine,
  type Tool,
  type ToolContext,
  type ToolResult,
  text,
  unsearchedField,
  wholeNumber,
} from './tool.ts'

/** Lines read at once. */
export const maxLines = 200

export const readLines: Tool = {
  name: 'read_lines',
  description: `Reads lines \`from\` to \`to\` (at most ${maxLines}) of a document, or of a conversation, whose lines are its utterances in order.`,
  input: schema(
    {
      document: { type: 'string', description: 'its id; or else a conversation' },
      conversation: { type: 'string', description: 'its id; or else a document' },
      from: { type: 'integer', minimum: 1 },
      to: { type: 'integer', minimum: 1 },
    },
    ['from', 'to'],
  ),
  async run(input, place) {
    checkNames(input, ['document', 'conversation', 'from', 'to'])
    const from = wholeNumber(input, 'from', { fallback: 1, most: Number.MAX_SAFE_INTEGER })
    const to = wholeNumber(input, 'to', { fallback: from, least: from, most: from + maxLines - 1 })
    if (input.conversation !== undefined) return ofConversation(text(input, 'conversation'), { from, to }, place)
    const { lines, rest } = await documentLines(text(input, 'document'), place)
    const read = lines.slice(from - 1, to)
    return {
      lines: read.map(({ text, entry }) => shortenLine(entry === null ? text : lineOf('entry', { ...entry, text }))),
      ids: read.flatMap(({ entry }) => (entry === null ? [] : [entry.id])),
      more: lines.length > to || rest === 'not read',
    }
  },
}

async function ofConversation(
  conversation: string,
  { from, to }: { readonly from: number; readonly to: number },
  place: ToolContext,
): Promise<ToolResult> {
  const { space, views } = place
  // The tail first: an utterance that moves from the tail into the view between the two reads is then found in the
  // view.
  const tail = await tailOf(space, place)
  const inTail = tail.utterances
    .filter(({ event }) => event.conversation === conversation)
    .map((each) => ({ ...memoryOfTail(each), validFrom: null }))
  // Any utterance of the tail may come before line `from`, so the scan skips a row fewer for each.
  const skip = Math.max(0, from - 1 - inTail.length)
  const where = and(equals('conversation', conversation), isCurrent)
  const orderBy = (['at', 'offset', 'id'] as const).map((by) => ({ by, direction: 'ascending' }) as const)
  const rows = await views.scan(utterances, { space, where, orderBy, skip, limit: to + 1 - skip })
  const [first] = rows
  const inRows = new Set(rows.map(({ id }) => id))
  const notInRows = inTail.filter(({ id }) => !inRows.has(id))
  const isBefore = (each: Memory) => skip > 0 && first !== undefined && byTime(each, first) < 0
  const all = [...rows, ...notInRows.filter((each) => !isBefore(each))].sort(byTime)
  const start = skip + notInRows.filter(isBefore).length
  const read = all.slice(from - 1 - start, to - start)
  const lines = read.map((each) => lineOf('utterance', each))
  return { lines, ids: read.map(({ id }) => id), more: all.length > to - start, ...unsearchedField(tail) }
}
