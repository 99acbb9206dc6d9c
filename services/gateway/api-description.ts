/**
 * The OpenAPI 3.1 document of the gateway, from the schemas of its routes: served at /openapi.json, and committed as
 * docs/openapi.json. Registered before the routes that it describes.
 */
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { lineageSchemas } from './routes/lineage-schemas.ts'
import { listedMemorySchemas } from './routes/memory-routes.ts'
import { memorySchemas } from './routes/memory-schemas.ts'
import { feedSchemas } from './subscriptions/feed-schema.ts'

const tags = [
  { name: 'append', description: 'Utterances of people and agents.' },
  { name: 'recall', description: 'Evidence for a question, and answers from it.' },
  { name: 'memories', description: 'The memories of a space, their sources and effects.' },
  { name: 'spaces', description: 'Spaces and conversations, with their sizes.' },
  { name: 'correct', description: 'Corrections of memories, and undo by cause.' },
  { name: 'forget', description: 'Destruction of a part of a space, for ever.' },
  { name: 'mcp', description: 'The Model Context Protocol, for agents.' },
  { name: 'subscribe', description: 'The feed of derived memories.' },
  {
    name: 'generations',
    description: 'Derivations of the memory side by side. Requests need the scope `administer` for every tenant.',
  },
  { name: 'parked', description: 'Inputs that could not be processed.' },
  { name: 'account', description: 'Use of tokens and money.' },
  { name: 'process', description: 'The state of the server.' },
]

export function describeApi(app: FastifyInstance): void {
  const schemas = [...feedSchemas(), ...memorySchemas, ...lineageSchemas, ...listedMemorySchemas]
  for (const schema of schemas) app.addSchema(schema)
  app.register(swagger, {
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'loomlog',
        description: 'The replayable memory log for AI agents.',
        version: 'v1',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags,
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    },
  })
  app.get('/openapi.json', { schema: { hide: true }, config: { scope: 'open' } }, async () =>
    withSharedReplies(app.swagger()),
  )
}

interface Operation {
  readonly responses?: { readonly [status: string]: object }
}
type Operations = { readonly [method: string]: Operation }

const nameOf: { readonly [status: string]: string } = {
  400: 'Wrong',
  401: 'NoKey',
  403: 'NotAllowed',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  415: 'WrongType',
  429: 'TooMany',
  503: 'Busy',
  507: 'Full',
  '4XX': 'Refused',
}

/** Moves the replies that every route has to the components. */
function withSharedReplies(document: { readonly paths?: object; readonly components?: object }): object {
  const shared: { [name: string]: object } = {}
  const shareable = ([status, reply]: [string, object]) => {
    const name = nameOf[status]
    if (name === undefined) return [status, reply]
    shared[name] = reply
    return [status, { $ref: `#/components/responses/${name}` }]
  }
  const paths = Object.entries((document.paths ?? {}) as { [path: string]: Operations }).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => {
      const responses = Object.fromEntries(Object.entries(operation.responses ?? {}).map(shareable))
      return [method, { ...operation, responses }]
    })
    return [path, Object.fromEntries(operations)]
  })
  return { ...document, paths: Object.fromEntries(paths), components: { ...document.components, responses: shared } }
}
