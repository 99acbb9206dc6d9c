/**
 * The declaration of a route: its scope, its parameters, its replies, and its words in the API reference. The
 * declarations are the source of openapi.json. A query and a body are checked by their schema.
 */
import type { FastifySchema, RouteShorthandOptions } from 'fastify'
import type { RouteScope } from '../access/route-scope.ts'
import { validatorOf } from './schema-checks.ts'

export type JsonSchema = { readonly [keyword: string]: unknown }
type Properties = { readonly [name: string]: JsonSchema }

export interface RouteDeclaration {
  /** The scope that a caller needs. */
  readonly scope: RouteScope
  /**
   * Parts that a parser checks instead of the schema. The command line shares the parser, and its errors are more
   * precise.
   */
  readonly parsed?: readonly ('body' | 'querystring')[]
  /** The slot of the caller's limits that a request holds while it runs. Default: `request`. */
  readonly slot?: 'live-reader'
  /** The record of the served recall names the caller, so the audit has none. */
  readonly audit?: 'recalls' | 'off'
  /** The operation's id: the name of the client's call. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  /** Further sentences. Markdown. */
  readonly about?: string
  readonly params?: Properties
  /** Optional headers, beside that of the tenant. */
  readonly headers?: Properties
  readonly query?: Properties
  /** Names of the parameters in the query that are required. */
  readonly required?: readonly string[]
  /** A JSON body, or bodies by media type. */
  readonly body?: JsonSchema
  readonly bodies?: { readonly [mediaType: string]: JsonSchema }
  /** JSON replies by status, each with its description. */
  readonly replies: { readonly [status: number]: JsonSchema }
}

const parameterTexts: { readonly [name: string]: string } = {
  space: 'The space, 1 to 256 characters without a slash.',
  id: 'The id of the memory.',
}

const tenantHeader: JsonSchema = {
  type: 'string',
  description:
    'The tenant, percent-encoded UTF-8. Default: the tenant of the key; without keys `default`. A key for every tenant must name it.',
}

export function apiRoute(declaration: RouteDeclaration): RouteShorthandOptions {
  const { scope, slot, audit, parsed = [] } = declaration
  return {
    config: { scope, ...(slot && { slot }), ...(audit && { audit }) },
    schema: schemaOf(declaration),
    validatorCompiler: (part) => (parsed.some((each) => each === part.httpPart) ? () => true : validatorOf(part)),
  }
}

function schemaOf(declaration: RouteDeclaration): FastifySchema {
  const {
    id,
    scope,
    tag,
    summary,
    about,
    params = {},
    headers = {},
    query,
    required = [],
    body,
    bodies,
    replies,
  } = declaration
  const content = bodies && {
    content: Object.fromEntries(Object.entries(bodies).map(([mediaType, schema]) => [mediaType, { schema }])),
  }
  const isOfTenant = scope !== 'open' && scope !== 'any' && scope !== 'operate'
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(about !== undefined && { description: about }),
    security: scope === 'open' ? [] : [{ key: scope === 'any' ? [] : [scope === 'operate' ? 'administer' : scope] }],
    ...(isOfTenant && { headers: object({ 'x-loomlog-tenant': tenantHeader, ...headers }, []) }),
    ...(Object.keys(params).length > 0 && { params: object(params) }),
    ...(query !== undefined && { querystring: { ...object(query, required), additionalProperties: false } }),
    ...((body ?? content) && { body: body ?? content }),
    response: { ...replies, ...refusalsOf(declaration) },
  } as FastifySchema
}

export type ApiComponent = JsonSchema & { readonly $id: string }

/** A schema of the OpenAPI document's components; others refer to it by `$ref: 'NAME#'`. */
export function component(name: string, schema: JsonSchema, description: string): ApiComponent {
  return { $id: name, ...schema, description }
}

/** An object with these properties. Default: all are required. */
export function object(properties: Properties, required: readonly string[] = Object.keys(properties)): JsonSchema {
  return { type: 'object', properties, required }
}

export function list(items: JsonSchema, description?: string): JsonSchema {
  return { type: 'array', items, ...(description !== undefined && { description }) }
}

export const text = (description: string): JsonSchema => ({ type: 'string', description })
export const integer = (description: string): JsonSchema => ({ type: 'integer', description })
export const number = (description: string): JsonSchema => ({ type: 'number', description })
export const boolean = (description: string): JsonSchema => ({ type: 'boolean', description })
export const choice = (of: readonly string[], description: string): JsonSchema => ({
  type: 'string',
  enum: of,
  description,
})
/** The value, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, ...rest } = schema
  return typeof type === 'string' && schema.enum === undefined
    ? { type: [type, 'null'], ...rest }
    : { anyOf: [schema, { type: 'null' }] }
}

/** The parameters of a path, with their descriptions. */
export function pathParameters(...names: readonly string[]): Properties {
  return Object.fromEntries(names.map((name) => [name, text(parameterTexts[name] ?? '')]))
}

const problem = object(
  {
    type: text('`urn:loomlog:problem:CODE`, or `about:blank` if the status is the whole reason.'),
    title: text('The code in words.'),
    status: integer('The status of the reply.'),
    detail: text('The field, its value and the expected one, or the reason.'),
    errors: list(
      object({ pointer: text('JSON pointer into the body.'), detail: text('The fault.') }),
      'Faults of the body.',
    ),
  },
  ['type', 'title', 'status', 'detail'],
)

const asProblem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: problem } },
})
const retryAfter = { 'Retry-After': { type: 'integer', description: 'In seconds.' } }

/** The refusals (RFC 9457) that a route may give, by status. */
const refusals = {
  400: asProblem('A wrong field, or a request that cannot be read.'),
  401: asProblem('No valid key or token.'),
  403: asProblem('The key lacks the scope, or is of another tenant, of other spaces or of other authors.'),
  404: asProblem('The tenant has no such resource.'),
  409: asProblem('The request conflicts with the content of the log, or with the state of a generation.'),
  413: asProblem('The body is larger than the limit.'),
  415: asProblem('The route does not accept this content type.'),
  429: { ...asProblem('Beyond a limit of the key: send the request again after `Retry-After`.'), headers: retryAfter },
  503: {
    ...asProblem('The server is busy, or the log or a view is away: send the request again after `Retry-After`.'),
    headers: retryAfter,
  },
  507: asProblem('The log is full.'),
  '4xx': asProblem('Refused by HTTP itself: 405 with `Allow`, 406, 408, 414, 431.'),
}
/** Requests of these scopes may append to the log. */
const writing: ReadonlySet<RouteScope> = new Set(['append', 'correct', 'forget', 'subscribe', 'administer', 'operate'])

function refusalsOf({ scope, body, bodies }: RouteDeclaration): { readonly [status: string]: object } {
  const { 400: wrong, 401: noKey, 403: notAllowed, 404: missing, 409: conflict, 429: tooMany, ...others } = refusals
  const { 413: tooLarge, 415: wrongType, 507: full, ...always } = others
  return {
    400: wrong,
    ...always,
    ...(scope !== 'open' && { 401: noKey, 403: notAllowed, 404: missing, 409: conflict, 429: tooMany }),
    ...((body ?? bodies) && { 413: tooLarge, 415: wrongType }),
    ...(writing.has(scope) && { 507: full }),
  }
}
