/** The refusal of a mistyped field: passed over in silence, it could widen what a call does. */
import { LoomlogError } from './errors.ts'

const mostShown = 80

/** @throws LoomlogError `input-invalid` with the field, and the known ones */
export function refuseUnknownFields(given: object, fields: readonly string[]): void {
  const unknown = Object.keys(given).find((field) => !fields.includes(field))
  if (unknown === undefined) return
  const message = `there is no field ${unknown.slice(0, mostShown)}: expected some of ${fields.join(', ')}`
  throw new LoomlogError('input-invalid', message)
}
