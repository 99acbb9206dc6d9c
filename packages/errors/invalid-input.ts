/** The refusal of a wrong value: names the field, the value, cut short, and the expected values. */
import { LoomlogError } from './errors.ts'

const mostShown = 80

export function invalidInput(field: string, value: unknown, expected: string): LoomlogError {
  return new LoomlogError('input-invalid', `${field} is ${formatValue(value)}: expected ${expected}`)
}

/** Characters that aren't seen, or that could take over a terminal. JSON.stringify leaves many of them as they are. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A value as JSON, cut short. Values that nest too deep for JSON.stringify have no text. */
export function formatValue(value: unknown): string {
  const text = escapeUnseen(jsonOf(value))
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

/** JSON with an escape for each character that isn't seen: the same value, on one line that shows it whole. */
export function escapeUnseen(json: string): string {
  return json.replaceAll(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeOf(character.charCodeAt(at))).join(''),
  )
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
