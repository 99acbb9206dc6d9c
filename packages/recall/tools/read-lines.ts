/** read_lines: a range of lines of a document, or of the utterances of a conversation. */
import { and, equals } from '@loomlog/views/condition'
import { utterances } from '@loomlog/views/tables/utterances'
import { byTime } from '../memory.ts'
import { memoryOfTail, tailOf } from '../search/log-tail.ts'
import { documentLines } from './document-lines.ts'
import {
  checkNames,
  cut,
  isCurrent,
  lineOf,
  schema,
  type Tool,
  type ToolPlace,
  type ToolResult,
  text,
  unsearchedField,
  wholeNumber,
} from './tool.ts'

/** Lines read at once. */
export const maxLines = 200
/** The last line that can be read. */
const maxLine = 20_000

export const readLines: Tool = {
  name: 'read_lines',
  description: `Reads lines \`from\` to \`to\` (at most ${maxLines}) of a document, or of a conversation, whose lines are its utterances in order.`,
  input: schema(
    {
      document: { type: 'string', description: 'its id; or else a conversation' },
      conversation: { type: 'string', description: 'its id; or else a document' },
      from: { type: 'integer', minimum: 1, maximum: maxLine },
      to: { type: 'integer', minimum: 1, maximum: maxLine },
    },
    ['from', 'to'],
  ),
  async run(input, place) {
    checkNames(input, ['document', 'conversation', 'from', 'to'])
    const from = wholeNumber(input, 'from', { fallback: 1, most: maxLine })
    const to = wholeNumber(input, 'to', { fallback: from, least: from, most: Math.min(maxLine, from + maxLines - 1) })
    if (input.conversation !== undefined) return ofConversation(text(input, 'conversation'), { from, to }, place)
    const { lines } = await documentLines(text(input, 'document'), place)
    const read = lines.slice(from - 1, to)
    return {
      lines: read.map(({ text, entry }) => cut(entry === null ? text : lineOf('entry', { ...entry, text }))),
      ids: read.flatMap(({ entry }) => (entry === null ? [] : [entry.id])),
      more: lines.length > to,
    }
  },
}

async function ofConversation(
  conversation: string,
  { from, to }: { readonly from: number; readonly to: number },
  place: ToolPlace,
): Promise<ToolResult> {
  const { space, views } = place
  // The tail first: what it lacks because the view has it by isCurrent is then found there.
  const tail = await tailOf(space, place)
  const where = and(equals('conversation', conversation), isCurrent)
  const orderBy = (['at', 'offset', 'id'] as const).map((by) => ({ by, direction: 'ascending' }) as const)
  const rows = await views.scan(utterances, { space, where, orderBy, limit: to + 1 })
  const inView = new Set(rows.map(({ id }) => id))
  const inTail = tail.utterances
    .filter(({ event }) => event.conversation === conversation && !inView.has(event.id))
    .map((each) => ({ ...memoryOfTail(each), validFrom: null }))
  const all = [...rows, ...inTail].sort(byTime)
  const read = all.slice(from - 1, to)
  const lines = read.map((each) => lineOf('utterance', each))
  return { lines, ids: read.map(({ id }) => id), more: all.length > to, ...unsearchedField(tail) }
}
