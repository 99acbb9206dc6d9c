/**
 * A tool of agentic retrieval (Infini Memory): a bounded read of one space's memory, for a model in a loop or any other
 * caller. Invariants: it reads nothing outside its space; it shows current memories; a line begins with the id of its
 * memory, so that it can be cited; no text and no name begins another line or another column.
 */
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { Json } from '@loomlog/schemas/ids'
import { columns, oneLine } from '@loomlog/schemas/one-line'
import type { Rebuild } from '@loomlog/views/rebuilds'
import type { Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { conditionOf } from '../request/filter.ts'
import type { Tail, TailOptions } from '../search/log-tail.ts'

export interface ToolContext extends TailOptions {
  /** `tenant/space` */
  readonly space: string
}

export type ToolInput = { readonly [name: string]: Json | undefined }

export interface ToolResult {
  readonly lines: readonly string[]
  /** Ids of the shown memories, which can be named as evidence. */
  readonly ids: readonly string[]
  /** Whether there are further lines. */
  readonly more: boolean
  /** Log records that are in no view and were not read; absent if there are none. */
  readonly unsearched?: number
  /** Shards that lack records because they are built or rebuilt; absent if there are none. */
  readonly rebuilding?: readonly Rebuild[]
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** The JSON Schema of its input. */
  readonly input: { readonly [name: string]: Json }
  /** @throws LoomlogError `input-invalid`, `not-found` */
  run(input: ToolInput, place: ToolContext): Promise<ToolResult>
}

/** Longer lines are cut. */
export const maxLineChars = 500
/** Limit of a query, a pattern or an id. */
const maxTextChars = 4_000

/** The tables that tools search: their rows can be cited. */
export function searchableTables({ views }: ToolContext): readonly Table[] {
  return views.tables.filter((table) => table.isSearchedByTools)
}

/** The condition of current rows. */
export const isCurrent = conditionOf({ filter: {}, asOf: {} })

export function unsearchedField({ unsearched }: Pick<Tail, 'unsearched'>): Pick<ToolResult, 'unsearched'> {
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
  throw invalidInput(name, value, `1 to ${maxTextChars} characters`)
}

export function wholeNumber(
  input: ToolInput,
  name: string,
  { fallback, least = 1, most }: { readonly fallback: number; readonly least?: number; readonly most: number },
): number {
  const value = input[name] ?? fallback
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw invalidInput(name, value, `a whole number from ${least} to ${most}`)
}

/** @throws LoomlogError `input-invalid` for an unknown name */
export function checkNames(input: ToolInput, names: readonly string[]): void {
  const strange = Object.keys(input).find((name) => !names.includes(name))
  if (strange === undefined) return
  const expected = `expected some of ${names.join(', ')}`
  throw new LoomlogError('input-invalid', `there is no input ${strange.slice(0, 80)}: ${expected}`)
}

/** `id | kind | day | text`, on one line. */
export function lineOf(kind: string, row: Pick<Row, 'id' | 'at' | 'validFrom' | 'text'>): string {
  const when = row.at ?? row.validFrom
  const day = when === null ? '' : new Date(when).toISOString().slice(0, 10)
  return columnsLine(row.id, kind, day, row.text)
}

export function columnsLine(...texts: readonly string[]): string {
  return shortenLine(columns(...texts.map(flatten)))
}

export function shortenLine(line: string): string {
  const flat = flatten(line)
  return flat.length <= maxLineChars ? flat : `${flat.slice(0, maxLineChars).toWellFormed()}…`
}

/** Before columns are joined: any white space beside a separator would become the space that makes it one. */
function flatten(text: string): string {
  return oneLine(text).replaceAll(/\s+/g, ' ')
}
