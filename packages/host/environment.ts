/** Values from environment variables: a wrong one is refused with its name, the value and what was expected. */
import { LoomlogError } from '@loomlog/errors'

export type Environment = { readonly [name: string]: string | undefined }

export interface Range {
  /** Null: it must be set. */
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
