/**
 * Facts as CSV (RFC 4180): a header, CRLF, and quotes where they are needed. Times are ISO 8601 in UTC, and lists are
 * JSON arrays. A spreadsheet would run a text that begins like a formula, and a person's message can begin so: such a
 * text gets an apostrophe before it. A spreadsheet may also take semicolons, tabs or line breaks for ends of cells, in
 * quotes or not: a sign after one of them gets an apostrophe too.
 */
import { type FactColumn, type FactToExport, type FactValue, factColumns } from './fact-columns.ts'

export async function* factsAsCsv(facts: AsyncIterable<FactToExport>): AsyncGenerator<string> {
  yield lineOf(factColumns.map(({ name }) => name))
  for await (const fact of facts) yield lineOf(factColumns.map((column) => cellOf(column, column.value(fact))))
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

function cellOf({ type }: FactColumn, value: FactValue): string {
  if (value === null) return ''
  if (type === 'time') return new Date(Number(value)).toISOString()
  return withoutFormula(type === 'texts' ? JSON.stringify(value) : String(value))
}

/** Spreadsheets leave out outer white space and quotes, and full-width signs count as signs. */
const formula = /(?<=^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])|^(?=[\t\r])/g

function withoutFormula(text: string): string {
  return text.replaceAll(formula, "'")
}

function quoted(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
