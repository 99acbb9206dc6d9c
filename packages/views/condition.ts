/**
 * Conditions over the columns of a table, as data: a store compiles them to its own language, and `predicate` evaluates
 * them on rows in memory. Both give the same result, which a property test checks. It is true or false, never null: a
 * comparison with null is false.
 *
 *     and(equals('kind', 'plan'), hasAny('sources', ids), or(isNull('validTo'), after('validTo', now)))
 *
 * The type names the columns that a condition reads, so that it can only be used on a table that has them.
 */

export type Expression =
  | { readonly op: 'equals'; readonly column: string; readonly value: string | number | boolean }
  | { readonly op: 'oneOf'; readonly column: string; readonly values: readonly string[] }
  | { readonly op: 'hasAny'; readonly column: string; readonly values: readonly string[] }
  | { readonly op: Order; readonly column: string; readonly value: string | number }
  | { readonly op: 'isNull'; readonly column: string }
  | { readonly op: 'contains'; readonly column: string; readonly text: string }
  | { readonly op: 'and' | 'or'; readonly of: readonly Expression[] }
  | { readonly op: 'not'; readonly of: Expression }

type Order = 'before' | 'atMost' | 'after' | 'atLeast'

/** @typeParam R the rows that the condition can be evaluated on */
export type Condition<R> = Expression & { readonly rows?: (row: R) => void }

type With<F extends string, T> = { readonly [field in F]: T }

export function equals<F extends string>(column: F, value: string): Condition<With<F, string | null>>
export function equals<F extends string>(column: F, value: number): Condition<With<F, number | null>>
export function equals<F extends string>(column: F, value: boolean): Condition<With<F, boolean>>
export function equals(column: string, value: string | number | boolean): Expression {
  return { op: 'equals', column, value }
}

export function oneOf<F extends string>(column: F, values: readonly string[]): Condition<With<F, string | null>> {
  return { op: 'oneOf', column, values }
}

/** The list in the column holds at least one of the values. */
export function hasAny<F extends string>(column: F, values: readonly string[]): Condition<With<F, readonly string[]>> {
  return { op: 'hasAny', column, values }
}

/** The column's text contains this text; case is ignored. */
export function contains<F extends string>(column: F, text: string): Condition<With<F, string | null>> {
  return { op: 'contains', column, text }
}

export function isNull<F extends string>(column: F): Condition<With<F, unknown>> {
  return { op: 'isNull', column }
}

export const before = comparison('before')
export const atMost = comparison('atMost')
export const after = comparison('after')
export const atLeast = comparison('atLeast')

/** The rows that all of these conditions can be evaluated on. */
type RowsOfAll<C> = (C extends Condition<infer R> ? (row: R) => void : never) extends (row: infer R) => void ? R : never

/** True without conditions. */
export function and<R>(...of: readonly Condition<R>[]): Condition<R>
export function and<C extends readonly Condition<never>[]>(...of: C): Condition<RowsOfAll<C[number]>>
export function and(...of: readonly Expression[]): Expression {
  return { op: 'and', of }
}

/** False without conditions. */
export function or<R>(...of: readonly Condition<R>[]): Condition<R>
export function or<C extends readonly Condition<never>[]>(...of: C): Condition<RowsOfAll<C[number]>>
export function or(...of: readonly Expression[]): Expression {
  return { op: 'or', of }
}

export function not<R>(of: Condition<R>): Condition<R> {
  return { op: 'not', of }
}

/** Texts compare by their UTF-8 bytes. */
function comparison(op: Order) {
  function compared<F extends string>(column: F, value: string): Condition<With<F, string | null>>
  function compared<F extends string>(column: F, value: number): Condition<With<F, number | null>>
  function compared(column: string, value: string | number): Expression {
    return { op, column, value }
  }
  return compared
}

/** Whether the condition holds for this row. */
export function holds(condition: Expression, row: { readonly [field: string]: unknown }): boolean {
  return predicate(condition)((column) => row[column])
}

/** Reads a column of the row under evaluation. */
export type ReadColumn = (column: string) => unknown

/** Compiles the condition, to evaluate it on many rows. */
export function predicate(condition: Expression): (read: ReadColumn) => boolean {
  switch (condition.op) {
    case 'and': {
      const of = condition.of.map(predicate)
      return (read) => of.every((each) => each(read))
    }
    case 'or': {
      const of = condition.of.map(predicate)
      return (read) => of.some((each) => each(read))
    }
    case 'not': {
      const of = predicate(condition.of)
      return (read) => !of(read)
    }
    case 'isNull':
      return (read) => read(condition.column) === null
    case 'equals':
      return (read) => read(condition.column) === condition.value
    case 'oneOf': {
      const values = new Set<unknown>(condition.values)
      return (read) => values.has(read(condition.column))
    }
    case 'hasAny': {
      const values = new Set(condition.values)
      return (read) => (read(condition.column) as readonly string[]).some((value) => values.has(value))
    }
    case 'contains': {
      const text = condition.text.toLowerCase()
      return (read) => (read(condition.column) as string | null)?.toLowerCase().includes(text) ?? false
    }
    default:
      return (read) => {
        const value = read(condition.column) as string | number | null
        return value !== null && isOrdered(condition.op, compareValues(value, condition.value))
      }
  }
}

function isOrdered(op: Order, difference: number): boolean {
  if (op === 'before') return difference < 0
  if (op === 'atMost') return difference <= 0
  return op === 'after' ? difference > 0 : difference >= 0
}

/** Below 0: `a` comes first. */
export function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return Number(a) - Number(b)
}
