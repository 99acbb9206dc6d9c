/**
 * A tool of agentic retrieval (Infini Memory): a bounded look at one space's memory, for a model in a loop or for anyone. What always
 * holds: it looks at nothing outside its space, shows what is held to be true now, and shows lines that begin with the id of what they
 * show, so that it can be cited.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Json } from '@loomlog/schemas/ids'
import type { Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { tables } from '@loomlog/views/tables'
import { conditionOn } from '../request/scope.ts'
import type { Tail, TailOptions } from '../search/log-tail.ts'

export interface ToolPlace extends TailOptions {
  /** `tenant/space` */
  readonly space: string
}

export type ToolInput = { readonly [name: string]: Json | undefined }

export interface ToolResult {
  readonly lines: readonly string[]
  /** Of the memories that the lines show, which may be given as evidence. */
  readonly ids: readonly string[]
  /** There is more than was shown. */
  readonly more: boolean
  /** Records that stand in no view yet and were not looked at either; absent: none. */
  readonly unsearched?: number
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** The JSON Schema of its input. */
  readonly input: { readonly [name: string]: Json }
  /** @throws LoomlogError `input-invalid`, `not-found` */
  run(input: ToolInput, place: ToolPlace): Promise<ToolResult>
}

/** Characters of a line; longer ones are cut. */
export const maxLineChars = 500
/** Of a query, a pattern or an id. */
const maxTextChars = 4_000

/** The tables that tools search: their rows can be cited. */
export const searched: readonly Table[] = tables.filter((table) => table.tools === 'search')

/** Rows that are held to be true now. */
export const now = conditionOn({ filter: {}, asOf: {} })

export function behind({ unsearched }: Pick<Tail, 'unsearched'>): Pick<ToolResult, 'unsearched'> {
  return unsearched > 0 ? { unsearched } : {}
}

export function schema(
  properties: { readonly [name: string]: Json },
  required: readonly string[],
): { readonly [name: string]: Json } {
  return { type: 'object', properties, required, additionalProperties: false }
}

export function text(input: ToolInput, name: string): string {
  const value = input[name]
  if (typeof value === 'string' && value.trim() !== '' && value.length <= maxTextChars) return value
  throw invalid(name, value, `1 to ${maxTextChars} characters`)
}

export function wholeNumber(
  input: ToolInput,
  name: string,
  { fallback, least = 1, most }: { readonly fallback: number; readonly least?: number; readonly most: number },
): number {
  const value = input[name] ?? fallback
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw invalid(name, value, `a whole number from ${least} to ${most}`)
}

/** @throws LoomlogError `input-invalid` for a name that the tool does not know */
export function known(input: ToolInput, names: readonly string[]): void {
  const strange = Object.keys(input).find((name) => !names.includes(name))
  if (strange === undefined) return
  const expected = `expected some of ${names.join(', ')}`
  throw new LoomlogError('input-invalid', `there is no input ${strange.slice(0, 80)}: ${expected}`)
}

function invalid(name: string, value: Json | undefined, expected: string): LoomlogError {
  const shown = (JSON.stringify(value) ?? 'missing').slice(0, 80)
  return new LoomlogError('input-invalid', `${name} is ${shown}: expected ${expected}`)
}

/** `id | kind | day | text`, on one line. */
export function lineOf(kind: string, row: Pick<Row, 'id' | 'at' | 'validFrom' | 'text'>): string {
  const when = row.at ?? row.validFrom
  const day = when === null ? '' : new Date(when).toISOString().slice(0, 10)
  return cut(`${row.id} | ${kind} | ${day} | ${row.text}`)
}

export function cut(line: string): string {
  const flat = line.replaceAll(/\s+/g, ' ')
  return flat.length <= maxLineChars ? flat : `${flat.slice(0, maxLineChars).toWellFormed()}…`
}
