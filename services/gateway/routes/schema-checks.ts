/** Checks queries and bodies by the schema of their route. A fault names the field, its value and the expected one. */
import { LoomlogError } from '@loomlog/errors'
import { formatValue } from '@loomlog/errors/invalid-input'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { faultyBody } from '../problem.ts'

const common = { useDefaults: true, removeAdditional: false, strict: false, verbose: true } as const
/** A query is text, so numbers and lists are parsed from it. */
const ofQuery = new Ajv2020({ ...common, coerceTypes: 'array' })
const ofBody = new Ajv2020(common)

export function validatorOf({ schema, httpPart }: { readonly schema: unknown; readonly httpPart?: string }) {
  if (httpPart === 'headers' || httpPart === 'params') return () => true
  const isBody = httpPart === 'body'
  const validate = (isBody ? ofBody : ofQuery).compile(schema as object)
  return (value: unknown) => {
    if (validate(value)) return true
    const [fault] = validate.errors ?? []
    // It would hold the value until the next one is validated.
    validate.errors = null
    return { error: isBody ? bodyFault(fault, value) : new LoomlogError('input-invalid', textOf(fault, value)) }
  }
}

function bodyFault(fault: ErrorObject | undefined, body: unknown): LoomlogError {
  return faultyBody('input-invalid', [{ pointer: fault?.instancePath ?? '', detail: textOf(fault, body) }])
}

function textOf(fault: ErrorObject | undefined, whole: unknown): string {
  if (fault === undefined) return `the request is ${formatValue(whole)}: expected another`
  const { keyword, instancePath, params, data, parentSchema } = fault
  const field = instancePath.slice(1).replaceAll('/', '.')
  const known = Object.keys((parentSchema as { readonly properties?: object }).properties ?? {}).join(', ')
  const within = field === '' ? '' : ` in ${field}`
  switch (keyword) {
    case 'additionalProperties':
      return `there is no field ${String(params.additionalProperty).slice(0, 80)}${within}: expected some of ${known}`
    case 'required':
      return `${String(params.missingProperty)} is missing${within}: expected it`
    case 'enum':
      return `${field} is ${formatValue(data)}: expected ${(params.allowedValues as readonly unknown[]).join(', ')}`
    default:
      return `${field || 'the body'} is ${formatValue(data)}: expected ${(fault.message ?? '').replace(/^must /, 'a value that must ')}`
  }
}
