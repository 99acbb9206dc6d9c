/** The refusal of a wrong value: names the field, the value, cut short, and the expected values. */
import { LoomlogError } from './errors.ts'

const mostShown = 80

export function invalidInput(field: string, value: unknown, expected: string): LoomlogError {
  return new LoomlogError('input-invalid', `${field} is ${formatValue(value)}: expected ${expected}`)
}

/** A value as JSON, cut short. Values that nest too deep for JSON.stringify have no text. */
export function formatValue(value: unknown): string {
  const text = jsonOf(value)
  return text.length > mostShown ? `${text.slice(0, mostShown).toWellFormed()}…` : text
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'missing'
  } catch (error) {
    if (error instanceof RangeError) return 'a value that nests too deep'
    throw error
  }
}
