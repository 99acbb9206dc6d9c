/**
 * The refusal of a wrong environment variable: names the variable, the value and the expected one. Not for secrets: the
 * value is shown.
 */
import { LoomlogError } from './errors.ts'

export function invalidSetting(name: string, value: string, expected: string): LoomlogError {
  return new LoomlogError('config-invalid', `${name} is ${JSON.stringify(value)}: expected ${expected}`)
}
