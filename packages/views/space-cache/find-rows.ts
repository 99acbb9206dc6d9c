/**
 * The rows of a space for which a condition holds. If the condition names ids or values, it is evaluated on the rows
 * with these only. Otherwise it is evaluated on all rows, and the result is cached until rows are added: the recalls of
 * a space have few different scopes.
 */
import { type Expression, predicate } from '../condition.ts'
import type { SpaceRows } from './space-rows.ts'

/** The numbers of the live rows for which the condition holds; in no order, each once. */
export function matchingRows(rows: SpaceRows, condition: Expression | undefined): ArrayLike<number> {
  const named = condition && namedIn(rows, condition)
  return named ? matchesAmong(rows, named) : matchesOf(rows, condition).numbers
}

/** Whether the condition holds for the row with this number. Dead rows never match. */
export function rowMatcher(rows: SpaceRows, condition: Expression | undefined): (number: number) => boolean {
  if (condition && namedIn(rows, condition)) return evaluated(rows, [condition])
  const { isMatch } = matchesOf(rows, condition)
  return (number) => isMatch[number] === 1
}

interface Matches {
  readonly numbers: Int32Array
  /** By number: 1 if it matches. */
  readonly isMatch: Uint8Array
}

/**
 * Cached results of a space. The least recently used is evicted, so that the scope of every recall outlives a time that
 * one recall names.
 */
const maxConditions = 4

/**
 * The cached results, with the number of rows that they cover. Rows are only added, so the same number means the same
 * rows.
 */
const cached = new WeakMap<SpaceRows, { readonly length: number; readonly byCondition: Map<string, Matches> }>()

/** The size of the cached results. */
export function conditionCacheBytes(rows: SpaceRows): number {
  const results = [...(cached.get(rows)?.byCondition.values() ?? [])]
  return results.reduce((sum, { numbers, isMatch }) => sum + numbers.byteLength + isMatch.byteLength, 0)
}

function matchesOf(rows: SpaceRows, condition: Expression | undefined): Matches {
  const before = cached.get(rows)
  const { byCondition } = before?.length === rows.length ? before : { byCondition: new Map<string, Matches>() }
  cached.set(rows, { length: rows.length, byCondition })
  const key = JSON.stringify(condition) ?? ''
  const known = byCondition.get(key)
  if (known !== undefined) {
    byCondition.delete(key)
    byCondition.set(key, known)
    return known
  }
  const matches = evaluated(rows, condition ? [condition] : [])
  const numbers: number[] = []
  const isMatch = new Uint8Array(rows.length)
  for (let number = 0; number < rows.length; number += 1) {
    if (!matches(number)) continue
    numbers.push(number)
    isMatch[number] = 1
  }
  const found = { numbers: Int32Array.from(numbers), isMatch }
  const [oldest] = byCondition.keys()
  if (byCondition.size >= maxConditions && oldest !== undefined) byCondition.delete(oldest)
  byCondition.set(key, found)
  return found
}

/** Whether the row is live and each of the conditions holds for it. */
function evaluated(rows: SpaceRows, conditions: readonly Expression[]): (number: number) => boolean {
  const cursor = { number: 0 }
  const read = rows.reader(cursor)
  const all = conditions.map(predicate)
  return (number) => {
    cursor.number = number
    return rows.isLive(number) && all.every((holds) => holds(read))
  }
}

/** Rows that a condition names. It holds for those that meet the rest of it, too. */
interface NamedRows {
  readonly numbers: ReadonlySet<number>
  readonly rest: readonly Expression[]
}

function matchesAmong(rows: SpaceRows, { numbers, rest }: NamedRows): readonly number[] {
  return [...numbers].filter(evaluated(rows, rest))
}

/** Null: the condition names no rows, so it may hold for any. */
function namedIn(rows: SpaceRows, condition: Expression): NamedRows | null {
  switch (condition.op) {
    case 'equals':
      return typeof condition.value === 'string' ? numbersWith(rows, condition.column, [condition.value]) : null
    case 'oneOf':
    case 'hasAny':
      return numbersWith(rows, condition.column, condition.values)
    case 'and': {
      const named = condition.of.flatMap((each) => {
        const found = namedIn(rows, each)
        return found === null ? [] : [{ each, ...found }]
      })
      if (named.length === 0) return null
      const least = named.reduce((least, next) => (next.numbers.size < least.numbers.size ? next : least))
      const others = condition.of.filter((each) => each !== least.each)
      return { numbers: least.numbers, rest: [...least.rest, ...others] }
    }
    case 'or': {
      const named = condition.of.map((each) => namedIn(rows, each))
      if (named.includes(null)) return null
      return { numbers: new Set(named.flatMap((each) => (each === null ? [] : matchesAmong(rows, each)))), rest: [] }
    }
    default:
      return null
  }
}

function numbersWith(rows: SpaceRows, column: string, values: readonly string[]): NamedRows {
  const numbers = new Set<number>()
  for (const value of values) {
    if (column === 'id') {
      const number = rows.numberOf(value)
      if (number !== undefined) numbers.add(number)
    } else for (const number of rows.numbersWith(column, value)) numbers.add(number)
  }
  return { numbers, rest: [] }
}
