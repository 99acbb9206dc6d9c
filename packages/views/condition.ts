/**
 * Conditions over the columns of a view table. A condition is only ever made with the `sql` tag, which quotes every value put
 * into it, so text that people wrote can't become part of the statement. Columns have snake_case names: `valid_to`, `known_from`.
 *
 *     sql`speaker = ${name} AND (valid_to IS NULL OR valid_to > ${now})`
 */

export class Condition {
  readonly text: string

  private constructor(text: string) {
    this.text = text
  }

  /** Used by the `sql` tag alone. */
  static of(strings: readonly string[], values: readonly SqlValue[]): Condition {
    return new Condition(strings.reduce((text, part, index) => text + insertion(values[index - 1]) + part))
  }
}

export type SqlValue = string | number | boolean | readonly (string | number)[] | Condition

/** An array becomes a parenthesised list, for IN; a condition is put in as it is, in parentheses. */
export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Condition {
  return Condition.of(strings, values)
}

function insertion(value: SqlValue | undefined): string {
  if (value instanceof Condition) return `(${value.text})`
  if (typeof value === 'object') return `(${value.length === 0 ? 'NULL' : value.map(literal).join(', ')})`
  return literal(value)
}

/** A value as an SQL literal. Inside single quotes only the single quote itself means anything. */
function literal(value: string | number | boolean | undefined): string {
  if (typeof value === 'string') return `'${value.toWellFormed().replaceAll("'", "''")}'`
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  throw new Error(`no SQL literal for ${String(value)}`)
}
