/** Values from environment variables. A wrong value is refused with the variable, the value and the expected one. */
import { LoomlogError } from '@loomlog/errors'

export type Environment = { readonly [name: string]: string | undefined }

export interface Range {
  /** Null: the variable is required. */
  readonly fallback: number | null
  readonly least: number
  readonly most: number
}

/** @throws LoomlogError `config-invalid` */
export function wholeNumber(environment: Environment, name: string, range: Range): number {
  const text = environment[name]
  if (text === undefined && range.fallback !== null) return range.fallback
  const value = Number(text)
  if (
    text !== undefined &&
    /^\d+$/.test(text) &&
    Number.isSafeInteger(value) &&
    value >= range.least &&
    value <= range.most
  )
    return value
  throw invalid(name, text ?? 'not set', `a whole number from ${range.least} to ${range.most}`)
}

/** Not for secrets: the value is part of the message. */
export function invalid(name: string, value: string, expected: string): LoomlogError {
  return new LoomlogError('config-invalid', `${name} is ${JSON.stringify(value)}: expected ${expected}`)
}
