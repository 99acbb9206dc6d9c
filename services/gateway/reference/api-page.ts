/** The API reference as Markdown, from the OpenAPI document. */
import type { ApiDocument, ApiOperation, ApiParameter, ApiSchema } from './api-document.ts'

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: ApiOperation
}

const head = `# HTTP API

Generated from the schemas of the routes (\`npm run generate\`). [openapi.json](openapi.json) has the same as OpenAPI 3.1; a server
serves it at \`/openapi.json\`. \`Scope\` is the scope that a [key](access.md) needs. The header \`x-loomlog-tenant\` names the tenant
(default: that of the key; without keys \`default\`; a key for every tenant must name it). Errors are problem details (RFC 9457). A list
has at most \`limit\` items; pass \`next\` of a reply as \`cursor\` of the next request, until it is null. Limits are in
[services/gateway](../services/gateway/README.md).
`

export function apiPage({ tags, paths, components }: ApiDocument): string {
  const routes: readonly Route[] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const unlisted = routes.find(({ operation }) => !tags.some(({ name }) => operation.tags.includes(name)))
  if (unlisted) throw new Error(`${unlisted.path} has no tag of api-description.ts, so no section would show it`)
  const sections = tags.map(({ name, description }) => {
    const own = routes.filter(({ operation }) => operation.tags.includes(name))
    return `## ${name}\n\n${description}\n\n${own.map(routeText).join('\n')}`
  })
  return `${head}\n${sections.join('\n')}\n${feedEvents(components.schemas)}`
}

/** The events of the feed by type, with the fields of their data. The schemas describe them. */
function feedEvents(schemas: ApiDocument['components']['schemas']): string {
  const rows = Object.entries(schemas).flatMap(([name, { properties: { type, data } = {} }]) => {
    if (type === undefined || data === undefined) return []
    const dataFields = Object.entries(data.properties ?? {}).map(
      ([field, schema]) => `\`${field}\` (${typeOf(schema)})`,
    )
    return [[typeOf(type), `\`${name}\``, dataFields.join(', ')]]
  })
  const about =
    'The CloudEvents of the feed by type, over HTTP and by webhook. `FeedEvent` in openapi.json describes each field.'
  return `## events of the feed\n\n${about}\n\n| type | record | fields of \`data\` |\n|---|---|---|\n${rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`
}

function routeText({ method, path, operation }: Route): string {
  const { summary, description, parameters = [], requestBody, responses, security } = operation
  const [scope] = security.flatMap(({ key }) => key)
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const headers = parameters.filter((parameter) => parameter.in === 'header' && parameter.name !== 'x-loomlog-tenant')
  const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([mediaType, { schema }]) =>
    (schema.anyOf ?? [schema]).map((each) => fields(`body, \`${mediaType}\``, each)),
  )
  const replies = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(([mediaType, { schema }]) => fields(`${status}, \`${mediaType}\``, schema)),
    )
  return [
    `### ${method} ${path}\n`,
    `${summary}. ${description ?? ''}`.trim() + (scope === undefined ? ' No key is needed.' : ` Scope: \`${scope}\`.`),
    '',
    ...(query.length > 0 ? [table('query', query.map(parameterRow))] : []),
    ...(headers.length > 0 ? [table('header', headers.map(parameterRow))] : []),
    ...[...bodies, ...replies].filter((each) => each !== ''),
  ].join('\n')
}

function fields(title: string, schema: ApiSchema): string {
  const shown = schema.properties ? schema : schema.items
  if (shown?.properties === undefined) return ''
  const repeated = schema.items && !schema.properties ? ', a list' : ''
  const rows = Object.entries(shown.properties).map(([name, field]) => {
    const mark = shown.required?.includes(name) ? '' : ', optional'
    return [`\`${name}\``, `${typeOf(field)}${mark}`, textOf(field)]
  })
  return table(`${title}${repeated}`, rows)
}

function parameterRow({ name, required, description, schema }: ApiParameter): readonly string[] {
  return [
    `\`${name}\``,
    `${typeOf(schema)}${required ? '' : ', optional'}`,
    textOf({ ...schema, ...(description && { description }) }),
  ]
}

function table(title: string, rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  return [`| ${title} | | |`, '|---|---|---|', ...lines, ''].join('\n')
}

function typeOf(schema: ApiSchema): string {
  if (schema.$ref) return schema.$ref.replace(/^.*\//, '')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
  const [type = 'any', ...others] = [schema.type ?? []].flat()
  const name = type === 'array' ? `list of ${schema.items ? typeOf(schema.items) : 'any'}` : type
  return [name, ...others].join(' or ')
}

function textOf({ description = '', minimum, maximum, default: usual }: ApiSchema): string {
  const range = maximum === undefined ? '' : ` ${minimum ?? 0} to ${maximum}.`
  return `${description}${range}${usual === undefined ? '' : ` Default: \`${typeof usual === 'string' ? usual : JSON.stringify(usual)}\`.`}`.trim()
}
