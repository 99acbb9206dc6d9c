/** Routes that search a memory: recall, the context of an agent, and the tools of agentic retrieval. */
import { toolReply } from '@loomlog/recall/recall-reply'
import { tools } from '@loomlog/recall/tools'
import { inMemorySpan } from '@loomlog/telemetry/memory-span'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerNameOf, readableSpaces, requireSpaces } from '../access/route-access.ts'
import { addressOf, spaceKeyOf } from '../request-address.ts'
import type { SpaceDirectory } from '../space-directory.ts'
import { searchFields } from './memory-schemas.ts'
import { readingFields } from './reading-fields.ts'
import { contextReply, contextSchema, recallBody, recallReply, recallSchema } from './recall-schema.ts'
import type { RouteParts, SpaceParams } from './route-parts.ts'
import { apiRoute, boolean, list, object, pathParameters, text } from './route-schema.ts'
import { type RecallAddress, type RecallRouteOptions, serveContext, serveRecall } from './serve-recall.ts'

const replies = { 200: { description: 'The evidence.', ...recallReply } }
const common = {
  scope: 'recall',
  audit: 'recalls',
  parsed: ['body', 'querystring'],
  tag: 'recall',
  params: pathParameters('space'),
  replies,
} as const

const get = apiRoute({
  ...common,
  id: 'recallByQuery',
  summary: 'Find evidence for a question',
  query: recallSchema,
  required: ['query'],
})
const post = apiRoute({
  ...common,
  id: 'recall',
  summary: 'Find evidence for a question, with the parameters in a body',
  about: 'The served recall is recorded in the topic `recalls` for 30 days, unless LOOMLOG_RECALLS is `off`.',
  body: { ...object(recallBody, ['query']), additionalProperties: false },
})
const contextReplies = { 200: { description: 'The context.', ...contextReply } }
const contextGet = apiRoute({
  ...common,
  id: 'contextByQuery',
  summary: 'The text to put before an agent',
  query: contextSchema,
  required: [],
  replies: contextReplies,
})
const contextPost = apiRoute({
  ...common,
  id: 'context',
  summary: 'The text to put before an agent, with the parameters in a body',
  about:
    'Standing instructions, the current state of the people and things that the question means, and evidence, each line with its sources.',
  body: { ...object(contextSchema, []), additionalProperties: false },
  replies: contextReplies,
})
const listTools = apiRoute({
  scope: 'open',
  id: 'tools',
  tag: 'recall',
  summary: 'The tools of agentic retrieval',
  about: 'Bounded queries of a memory, for a model that searches step by step.',
  replies: {
    200: list({ $ref: 'Tool#' }),
  },
})
const tool = apiRoute({
  scope: 'recall',
  parsed: ['body', 'querystring'],
  id: 'tool',
  tag: 'recall',
  summary: 'Call a tool',
  params: { ...pathParameters('space'), name: text('The name of the tool.') },
  body: { type: 'object', description: "The tool's input." },
  replies: {
    200: object(
      {
        lines: list(text('A line, which begins with the id of its memory.'), 'The result.'),
        ids: list(text('The id of a memory.'), 'Ids of the memories in `lines`.'),
        more: boolean('Whether there are further lines.'),
        ...searchFields,
        ...readingFields,
      },
      ['lines', 'ids', 'more', 'generation', 'epoch'],
    ),
  },
})

export function serveRecalls(app: FastifyInstance, { options, directory, read }: RouteParts): void {
  const recallPlaceOf = (request: FastifyRequest<SpaceParams>) => placeOf(request, directory)
  const optionsFor = (request: FastifyRequest, signal: AbortSignal): RecallRouteOptions => ({
    ...options,
    signal,
    onCandidateFailure({ id, space, kind }, error) {
      request.log.warn({ err: error, memory: id, space, kind }, 'a memory was left out of a recall: reading it failed')
    },
  })
  const recallFor = (given: unknown, request: FastifyRequest<SpaceParams>, reply: FastifyReply) =>
    read(reply, (signal) => {
      const recalled = () => serveRecall(given, recallPlaceOf(request), optionsFor(request, signal))
      return inMemorySpan(searchOf(request), recalled, ({ memories }) => ({ count: memories.length }))
    })
  const contextFor = (given: unknown, request: FastifyRequest<SpaceParams>, reply: FastifyReply) =>
    read(reply, (signal) => {
      const found = () => serveContext(given, recallPlaceOf(request), optionsFor(request, signal))
      return inMemorySpan(searchOf(request), found, ({ items }) => ({ count: items.length }))
    })
  app.get<SpaceParams>('/v1/spaces/:space/recall', get, (request, reply) => recallFor(request.query, request, reply))
  app.post<SpaceParams>('/v1/spaces/:space/recall', post, (request, reply) => recallFor(request.body, request, reply))
  app.get<SpaceParams>('/v1/spaces/:space/context', contextGet, (request, reply) =>
    contextFor(request.query, request, reply),
  )
  app.post<SpaceParams>('/v1/spaces/:space/context', contextPost, (request, reply) =>
    contextFor(request.body ?? {}, request, reply),
  )
  app.get('/v1/tools', listTools, async () =>
    tools.map(({ name, description, input }) => ({ name, description, input })),
  )
  app.post<SpaceParams & { Params: { name: string } }>('/v1/spaces/:space/tools/:name', tool, (request, reply) =>
    read(reply, async () => {
      const reading = await options.reading(addressOf(request).tenant)
      const use = { name: request.params.name, input: request.body ?? {}, space: spaceKeyOf(request) }
      const used = () => toolReply(use, { ...options, ...recallPlaceOf(request), ...reading })
      return inMemorySpan(searchOf(request), used, ({ ids }) => ({ count: ids.length }))
    }),
  )
}

function searchOf(request: FastifyRequest<SpaceParams>) {
  return { operation: 'search_memory', store: spaceKeyOf(request) } as const
}

function placeOf(request: FastifyRequest<SpaceParams>, directory: SpaceDirectory): RecallAddress {
  const address = addressOf(request)
  return {
    ...address,
    caller: callerNameOf(request),
    requireSpaces: (spaces) => requireSpaces(request, spaces),
    async spaceNames(signal) {
      const spaces = await directory.of(address.tenant, signal)
      return readableSpaces(
        request,
        spaces.map(({ space }) => space),
      )
    },
  }
}
