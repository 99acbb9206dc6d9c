/**
 * Holds a model's answer to the schema it was asked for. Schemas are compiled once; one that doesn't compile is a mistake in a
 * task and crashes. What is wrong is told in the schema's words: where, and which rule, never the value itself.
 */

import type { JsonSchema } from '@loomlog/runtime/task'
import { canonicalJson, type Json } from '@loomlog/schemas/ids'
import { Ajv, type ValidateFunction } from 'ajv'

type Checked = { readonly wrong: null; readonly value: Json } | { readonly wrong: string; readonly value: null }

const ajv = new Ajv({ strict: false, validateFormats: false })
const compiled = new Map<string, ValidateFunction<Json>>()

export function check(content: string | null, schema: JsonSchema): Checked {
  if (content === null || content.trim() === '') return { wrong: 'the answer is empty', value: null }
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return { wrong: 'the answer is not JSON', value: null }
  }
  const fits = validator(schema)
  if (fits(value)) return { wrong: null, value }
  const errors = (fits.errors ?? []).map((error) => `${error.instancePath || 'the answer'} ${error.message}`)
  return { wrong: errors.join('; '), value: null }
}

function validator(schema: JsonSchema): ValidateFunction<Json> {
  const key = canonicalJson(schema)
  const known = compiled.get(key)
  if (known) return known
  const fresh = ajv.compile<Json>(schema)
  compiled.set(key, fresh)
  return fresh
}
