/** inspect_document: title and summary of a document, and its headings with their line numbers. */
import { documentLines } from './document-lines.ts'
import { checkNames, columnsLine, schema, shortenLine, type Tool, text } from './tool.ts'

/** Headings shown. */
const maxHeadings = 100

export const inspectDocument: Tool = {
  name: 'inspect_document',
  description:
    'Shows a document: title, summary, and its headings with the numbers of their lines, to be read with read_lines.',
  input: schema({ id: { type: 'string', description: 'of the document' } }, ['id']),
  async run(input, place) {
    checkNames(input, ['id'])
    const id = text(input, 'id')
    const { title, summary, lines } = await documentLines(id, place)
    const headings = lines.flatMap(({ text, entry }, index) => (entry === null ? [`line ${index + 1}: ${text}`] : []))
    const about = columnsLine(id, 'document', `${lines.length} lines`, title)
    const parts = [...(summary === '' ? [] : [`summary: ${summary}`]), ...headings.slice(0, maxHeadings)]
    const shown = [about, ...parts.map(shortenLine)]
    return { lines: shown, ids: [], more: headings.length > maxHeadings }
  },
}
