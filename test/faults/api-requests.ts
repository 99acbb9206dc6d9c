/**
 * Random requests from the OpenAPI document, with fast-check: any operation, mostly with valid fields, sometimes with a
 * value of another type, a missing field or an unknown one. The same seed makes the same requests.
 */
import fc from 'fast-check'

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly format?: string
}

interface Content {
  readonly [mediaType: string]: { readonly schema: Schema }
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: { readonly [status: string]: { readonly content?: Content } }
}

export interface ApiDocument {
  readonly components?: object
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
}

export interface ApiRequest {
  readonly method: string
  /** The path as the document has it, with the names of its parameters. */
  readonly template: string
  readonly tenant: string
  readonly path: string
  readonly mediaType: string | null
  readonly body: string | null
}

/** Tenants and spaces: `ab` and `c` equal `a` and `bc` when joined without a separator. */
export const tenants = ['ab', 'a'] as const
export const spaces = ['c', 'bc'] as const

const soundWords = [
  ...['u0', 'u1', 'u2', 'f0', 'd0', 'live', 'c', 'Maya', 'Porto', 'fact', 'utterance', 'profile', 'exact_pattern'],
  ...['2026-03-02T09:00:00Z', '2026-03-02', 'topic-loom.gapMs=900000', 'ab/c'],
]
const oddWords = [
  ...['', ' ', '..', '../..', '__proto__', 'constructor', '%2F', 'a/c', '0@1', 'fact-extractor.prompt=/etc/passwd'],
  ...['\u0000', '\ud800', '\u202e', 'x'.repeat(300), "' or 1=1 --"],
]
const words = [...soundWords, ...oddWords]

/**
 * Values that keep a run short: live streams of the feed and long waits would take up to a minute, and each forgetting
 * derives its space again.
 */
const short: { readonly [name: string]: fc.Arbitrary<unknown> } = {
  live: fc.constantFrom(undefined, 'none', ''),
  wait: fc.constantFrom('appended', 'derived', 'in-views', 1, 20, 'x'),
  waitMs: fc.constantFrom(1, 20, 0, 'x'),
  preview: fc.constantFrom(true, true, true, true, false, 'x'),
}
/** Times of which most are valid, and select the planted utterances. */
const times: { readonly [name: string]: fc.Arbitrary<unknown> } = {
  from: fc.constantFrom(undefined, '2026-03-02', '2026-03-02T09:00:00Z', 'x'),
  to: fc.constantFrom(undefined, '2026-03-03', '2026-03-02T10:00:00Z', 'x'),
}

export function apiRequests(
  { paths }: ApiDocument,
  {
    seed,
    count,
    among = spaces,
  }: { readonly seed: number; readonly count: number; readonly among?: readonly string[] },
) {
  const operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(among, { template, method, operation })),
  )
  return fc.sample(fc.oneof(...operations), { seed, numRuns: count })
}

interface OperationAt {
  readonly template: string
  readonly method: string
  readonly operation: Operation
}

function requestOf(among: readonly string[], { template, method, operation }: OperationAt): fc.Arbitrary<ApiRequest> {
  const { parameters = [], requestBody } = operation
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const values = fc.record(
    Object.fromEntries(inPath.map(({ name, schema }) => [name, pathValue(among, { name, schema })])),
  )
  const query = fc.record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, short[name] ?? anyOf(schema)])), {
    requiredKeys: inQuery.filter(({ name }) => name === 'kind' || name === 'query').map(({ name }) => name),
  })
  return fc
    .record({ tenant: fc.constantFrom(...tenants), values, query, body: bodyOf(requestBody?.content ?? null) })
    .map(({ tenant, values, query, body }) => ({
      method: method.toUpperCase(),
      template,
      tenant,
      ...body,
      path: template.replaceAll(/\{(\w+)\}/g, (_, name) => inPathText(values[name])) + textOf(query),
    }))
}

function pathValue(
  among: readonly string[],
  { name, schema }: { readonly name: string; readonly schema: Schema },
): fc.Arbitrary<unknown> {
  return name === 'space' ? often(fc.constantFrom(...among), fc.constantFrom(...words)) : anyOf(schema)
}

function bodyOf(content: Content | null): fc.Arbitrary<Pick<ApiRequest, 'mediaType' | 'body'>> {
  if (content === null) return fc.constant({ mediaType: null, body: null })
  const types = Object.entries(content).map(([mediaType, { schema }]) => {
    if (mediaType === 'application/json')
      return often(anyOf(schema), anything).map((value) => ({ mediaType, body: JSON.stringify(value ?? null) }))
    const line = often(anyOf(content['application/json']?.schema ?? {}), anything)
    return fc
      .array(line, { maxLength: 4 })
      .map((lines) => ({ mediaType, body: lines.map((each) => JSON.stringify(each ?? null)).join('\n') }))
  })
  return fc.oneof(...types)
}

const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...words))

/** In 15 of 16 cases the first value, else the second. */
function often<T, U>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ arbitrary: usual, weight: 15 }, { arbitrary: other, weight: 1 })
}

/** A value that mostly fits the schema. */
function anyOf(schema: Schema): fc.Arbitrary<unknown> {
  return often(soundOf(schema), anything)
}

function soundOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(soundOf))
  const types = [schema.type ?? []].flat()
  return types.length === 0 ? anything : fc.oneof(...types.map((type) => ofType(type, schema)))
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      if (schema.format === 'date-time') return fc.constant('2026-03-02T09:00:00Z')
      return often(
        fc.constantFrom(...soundWords),
        fc.oneof(fc.constantFrom(...oddWords), fc.string({ unit: 'binary' })),
      )
    case 'integer':
      return fc.integer({ min: (schema.minimum ?? 0) - 1, max: (schema.maximum ?? 1_000) + 1 })
    case 'number':
      return fc.oneof(fc.double({ min: -1, max: 2 }), fc.constantFrom(1_772_441_940, 1e308))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(anyOf(schema.items ?? {}), { maxLength: 3 })
    default:
      return ofObject(schema)
  }
}

function ofObject({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  if (Object.keys(properties).length === 0)
    return fc.dictionary(
      fc.constantFrom(...words),
      typeof additionalProperties === 'object' ? anyOf(additionalProperties) : anything,
      { maxKeys: 3 },
    )
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, short[name] ?? times[name] ?? anyOf(schema)]),
  )
  const whole = fc.record(fields, { requiredKeys: [...required] })
  return often(
    whole,
    fc.tuple(whole, fc.constantFrom('unknown', '__proto__')).map(([value, name]) => ({ ...value, [name]: 1 })),
  )
}

/**
 * Excludes dot segments: a URL parser removes them, also percent-encoded ones, and the request would reach another
 * route.
 */
function inPathText(value: unknown): string {
  return /^\.{0,2}$/.test(String(value)) ? 'dots' : encoded(value)
}

function encoded(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed())
}

function textOf(query: { readonly [name: string]: unknown }): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => `${encoded(name)}=${encoded(typeof each === 'object' ? JSON.stringify(each) : each)}`),
  )
  return given.length === 0 ? '' : `?${given.join('&')}`
}
