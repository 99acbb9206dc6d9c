/**
 * Fake answers that fit a schema: the same for the same schema and input, in every process. They mean nothing. They
 * support the schema keywords of the tasks (not `pattern`, `not`, `allOf`), and throw at others.
 */
import { createHash } from 'node:crypto'
import { hash, type Json } from '@loomlog/schemas/ids'

type Schema = { readonly [keyword: string]: Json | undefined }

export function fakeAnswer(schema: Schema, input: Json): Json {
  return valueFor(schema, hash(input), schema)
}

/** A vector of length 1 from the text's hash: only equal texts are near. */
export function fakeVector(text: string, dimensions: number): number[] {
  const vector: number[] = []
  for (let block = 0; vector.length < dimensions; block++) {
    const bytes = createHash('sha256').update(`${block}:${text}`).digest()
    for (const byte of bytes) vector.push(byte - 127.5)
  }
  const cut = vector.slice(0, dimensions)
  const length = Math.hypot(...cut)
  return cut.map((component) => component / length)
}

/** `seed` chooses one of the possible values; every position in the answer has its own. */
function valueFor(schema: Schema, seed: string, root: Schema): Json {
  if (typeof schema.$ref === 'string') return valueFor(resolve(schema.$ref, root), seed, root)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return pick(schema.enum, seed)
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return valueFor(pick(choices, seed) as Schema, seed, root)
  switch (Array.isArray(schema.type) ? pick(schema.type, seed) : schema.type) {
    case 'object':
      return objectOf(schema, seed, root)
    case 'array':
      return arrayOf(schema, seed, root)
    case 'string':
      return stringOf(schema, seed)
    case 'integer':
      return Math.floor(numberOf(schema, seed, 10))
    case 'number':
      return numberOf(schema, seed, 1)
    case 'boolean':
      return number(seed) % 2 === 0
    case 'null':
      return null
    default:
      throw new Error(`the fake can't answer for the schema ${JSON.stringify(schema).slice(0, 200)}`)
  }
}

function objectOf(schema: Schema, seed: string, root: Schema): Json {
  const properties = Object.entries((schema.properties ?? {}) as { readonly [name: string]: Schema })
  return Object.fromEntries(properties.map(([name, of]) => [name, valueFor(of, hash([seed, name]), root)]))
}

function arrayOf(schema: Schema, seed: string, root: Schema): Json {
  const least = Number(schema.minItems ?? 0)
  const most = Math.min(Number(schema.maxItems ?? least + 2), least + 2)
  const length = least + (number(seed) % (most - least + 1))
  const items = (schema.items ?? { type: 'null' }) as Schema
  return Array.from({ length }, (_, at) => valueFor(items, hash([seed, at]), root))
}

function stringOf(schema: Schema, seed: string): string {
  const text = `fake ${seed.slice(0, 8)}`.padEnd(Number(schema.minLength ?? 0), '.')
  return text.slice(0, Number(schema.maxLength ?? text.length))
}

/** Between `minimum` and `maximum`. A missing bound is `span` away from the other; without both, 0 to `span`. */
function numberOf(schema: Schema, seed: string, span: number): number {
  const highest = typeof schema.maximum === 'number' ? schema.maximum : null
  const lowest = typeof schema.minimum === 'number' ? schema.minimum : (highest ?? span) - span
  return lowest + (number(seed) / 0xffffffff) * ((highest ?? lowest + span) - lowest)
}

function number(seed: string): number {
  return Number.parseInt(seed.slice(0, 8), 16)
}

function pick(from: readonly Json[], seed: string): Json {
  return from[number(seed) % from.length] ?? null
}

/** `#/$defs/person` and the like. */
function resolve(reference: string, root: Schema): Schema {
  let here: Json | undefined = root as Json
  for (const step of reference.split('/').slice(1)) here = (here as Schema | undefined)?.[step]
  if (here === undefined) throw new Error(`the fake finds no ${reference} in the schema`)
  return here as Schema
}
