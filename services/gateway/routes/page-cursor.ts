/**
 * Cursors of lists: opaque, and bound to the list that they were made for. A page begins after the sort key of the last
 * item of the page before, so that items which are added or removed meanwhile neither repeat nor hide others.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { integer, type JsonSchema, orNull, text } from './route-schema.ts'

export type SortKey = readonly (string | number)[]

export interface PageRequest {
  readonly limit: number
  readonly cursor?: string
}

const maxPageItems = 500

export const pageParameters = {
  limit: { ...integer('Maximum number of items of the page.'), minimum: 1, maximum: maxPageItems, default: 100 },
  cursor: { ...text('`next` of the previous page. Default: the first page.'), maxLength: 4_000 },
}

export const nextCursor: JsonSchema = orNull(text('`cursor` of the next page; null at the end.'))

/**
 * A page of a list that is read whole.
 * @param list names the list and its parameters
 * @param keyOf unique in the list, with values of the same types for all items
 */
export function pageOf<T>(
  all: readonly T[],
  page: PageRequest,
  { list, types, keyOf }: ListOrder<T>,
): { readonly items: readonly T[]; readonly next: string | null } {
  const after = sortKeyFrom(list, page, types)
  const keyed = all.map((item) => ({ item, key: keyOf(item) })).sort((a, b) => compareKeys(a.key, b.key))
  const left = after === null ? keyed : keyed.filter(({ key }) => compareKeys(key, after) > 0)
  const shown = left.slice(0, page.limit)
  const last = shown.at(-1)
  const next = left.length > shown.length && last ? cursorOf(list, last.key) : null
  return { items: shown.map(({ item }) => item), next }
}

interface ListOrder<T> {
  readonly list: string
  /** The types of the values of a key. */
  readonly types: readonly ('string' | 'number')[]
  keyOf(item: T): SortKey
}

function compareKeys(a: SortKey, b: SortKey): number {
  for (const [at, value] of a.entries()) {
    const other = b[at]
    if (other === undefined || value > other) return 1
    if (value < other) return -1
  }
  return 0
}

/** @param list names the list and its parameters */
export function cursorOf(list: string, key: SortKey): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url')
}

/** Null: the first page. @throws LoomlogError `input-invalid` */
export function sortKeyFrom(
  list: string,
  { cursor }: PageRequest,
  types: readonly ('string' | 'number')[],
): SortKey | null {
  if (cursor === undefined) return null
  const [of, ...key] = decodedCursor(cursor)
  const fits = key.length === types.length && types.every((type, at) => typeof key[at] === type)
  if (of === list && fits) return key as SortKey
  throw invalidInput('cursor', cursor, '`next` of a page of the same list')
}

function decodedCursor(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
