/**
 * The rows of a space for which a condition holds. Where the condition names ids or values, only the rows with these are looked at; otherwise
 * all of them.
 */
import { type Expression, predicate } from '../condition.ts'
import type { SpaceRows } from './space-rows.ts'

/** Whether the condition holds for the row with this number. Dead rows never match. */
export function matcher(rows: SpaceRows, condition: Expression | undefined): (number: number) => boolean {
  if (condition === undefined) return (number) => rows.isLive(number)
  const cursor = { number: 0 }
  const read = rows.reader(cursor)
  const holds = predicate(condition)
  return (number) => {
    cursor.number = number
    return rows.isLive(number) && holds(read)
  }
}

/** The numbers of the live rows for which the condition holds; in no order, each once. */
export function matching(rows: SpaceRows, condition: Expression | undefined): readonly number[] {
  const matches = matcher(rows, condition)
  const named = condition && namedIn(rows, condition)
  if (named) return [...named].filter(matches)
  const found: number[] = []
  for (let number = 0; number < rows.length; number += 1) if (matches(number)) found.push(number)
  return found
}

/** A set of rows that includes every row for which the condition holds; null: it may be any. */
function namedIn(rows: SpaceRows, condition: Expression): ReadonlySet<number> | null {
  switch (condition.op) {
    case 'equals':
      return typeof condition.value === 'string' ? numbersWith(rows, condition.column, [condition.value]) : null
    case 'oneOf':
    case 'hasAny':
      return numbersWith(rows, condition.column, condition.values)
    case 'and': {
      const named = condition.of.flatMap((each) => namedIn(rows, each) ?? [])
      return named.length === 0 ? null : named.reduce((least, each) => (each.size < least.size ? each : least))
    }
    case 'or': {
      const named = condition.of.map((each) => namedIn(rows, each))
      return named.includes(null) ? null : new Set(named.flatMap((each) => [...(each ?? [])]))
    }
    default:
      return null
  }
}

function numbersWith(rows: SpaceRows, column: string, values: readonly string[]): ReadonlySet<number> {
  const numbers = new Set<number>()
  for (const value of values) {
    if (column === 'id') {
      const number = rows.numberOf(value)
      if (number !== undefined) numbers.add(number)
    } else for (const number of rows.numbersWith(column, value)) numbers.add(number)
  }
  return numbers
}
