/**
 * Validates a model's answer against the schema of its task. Schemas are compiled once; one that doesn't compile is a
 * bug in a task and crashes. A problem names the path and the broken rule, never the value.
 */

import type { JsonSchema } from '@loomlog/runtime/step'
import { canonicalJson, type Json } from '@loomlog/schemas/ids'
import { Ajv, type ValidateFunction } from 'ajv'

type ValidationResult = { readonly value: Json } | { readonly problem: string }

const ajv = new Ajv({ strict: false, validateFormats: false })
// A pattern guides an endpoint that makes a grammar of it. Tasks read more forms of a text, and skip one that they
// can't read.
ajv.removeKeyword('pattern')
const compiled = new Map<string, ValidateFunction<Json>>()

export function validate(content: string | null, schema: JsonSchema): ValidationResult {
  if (content === null || content.trim() === '') return { problem: 'the answer is empty' }
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return { problem: 'the answer is not JSON' }
  }
  const fits = validator(schema)
  if (fits(value)) return { value }
  const errors = (fits.errors ?? []).map((error) => `${error.instancePath || 'the answer'} ${error.message}`)
  // They have names of the answer's fields, and would stay until the next answer is validated.
  fits.errors = null
  return { problem: errors.join('; ') }
}

function validator(schema: JsonSchema): ValidateFunction<Json> {
  const key = canonicalJson(schema)
  const known = compiled.get(key)
  if (known) return known
  const fresh = ajv.compile<Json>(schema)
  compiled.set(key, fresh)
  return fresh
}
