/** Values from environment variables. A wrong value is refused with the variable, the value and the expected one. */
import { invalidSetting } from '@loomlog/errors/invalid-setting'

export type Environment = { readonly [name: string]: string | undefined }

export interface NumberRange {
  /** Null: the variable is required. */
  readonly fallback: number | null
  readonly least: number
  readonly most: number
}

/** @throws LoomlogError `config-invalid` */
export function wholeNumber(environment: Environment, name: string, range: NumberRange): number {
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
  throw invalidSetting(name, text ?? 'not set', `a whole number from ${range.least} to ${range.most}`)
}

/** @throws LoomlogError `config-invalid` */
export function onOrOff(environment: Environment, name: string, fallback: 'on' | 'off'): 'on' | 'off' {
  const given = environment[name] ?? fallback
  if (given === 'on' || given === 'off') return given
  throw invalidSetting(name, given, 'on or off')
}
