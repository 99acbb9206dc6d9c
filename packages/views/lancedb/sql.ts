/**
 * Conditions as LanceDB's SQL (DataFusion). Every value is quoted, so text that people wrote can't become part of the
 * statement. Comparisons are guarded against null, so that `NOT` of them is never null.
 */
import type { Expression } from '../condition.ts'
import type { Table } from '../table.ts'

/** The column of a field: `validTo` is `valid_to`. */
export function columnName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** @throws where the table has no such column: a programmer's mistake */
export function toSql(condition: Expression, table: Table): string {
  switch (condition.op) {
    case 'and':
      return joined(condition.of, ' AND ', 'TRUE', table)
    case 'or':
      return joined(condition.of, ' OR ', 'FALSE', table)
    case 'not':
      return `NOT (${toSql(condition.of, table)})`
  }
  const kind = table.allColumns[condition.column]?.kind
  if (kind === undefined || (kind === 'json' && condition.op !== 'isNull')) {
    throw new Error(`table ${table.name} has no column ${condition.column} that conditions compare`)
  }
  const column = `\`${columnName(condition.column)}\``
  if (condition.op === 'isNull') return `${column} IS NULL`
  const compared = comparison(condition, column)
  return kind.endsWith('?') ? `(${column} IS NOT NULL AND ${compared})` : compared
}

function joined(conditions: readonly Expression[], by: string, ifEmpty: string, table: Table): string {
  return conditions.length === 0 ? ifEmpty : conditions.map((each) => `(${toSql(each, table)})`).join(by)
}

const orders = { before: '<', atMost: '<=', after: '>', atLeast: '>=' } as const

type Comparison = Exclude<Expression, { readonly op: 'and' | 'or' | 'not' | 'isNull' }>

function comparison(condition: Comparison, column: string): string {
  switch (condition.op) {
    case 'equals':
      return `${column} = ${literal(condition.value)}`
    case 'oneOf':
      return condition.values.length === 0 ? 'FALSE' : `${column} IN (${condition.values.map(literal).join(', ')})`
    case 'hasAny':
      return condition.values.length === 0
        ? 'FALSE'
        : `array_has_any(${column}, make_array(${condition.values.map(literal).join(', ')}))`
    case 'contains':
      return `strpos(lower(${column}), ${literal(condition.text.toLowerCase())}) > 0`
    default:
      return `${column} ${orders[condition.op]} ${literal(condition.value)}`
  }
}

/** Within single quotes, only the single quote itself needs escaping. */
export function literal(value: string | number | boolean): string {
  if (typeof value === 'string') return `'${value.toWellFormed().replaceAll("'", "''")}'`
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (Number.isFinite(value)) return String(value)
  throw new Error(`no SQL literal for ${value}`)
}
