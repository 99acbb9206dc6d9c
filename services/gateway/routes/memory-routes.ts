/** Routes that read the memories of a space: by kind, one by one, and the history of one. */
import type { FastifyInstance } from 'fastify'
import { addressOf, spaceKeyOf } from '../request-address.ts'
import { historyOf } from './memory-history.ts'
import { type MemoryList, memoryById, memoryPage } from './memory-rows.ts'
import { nextCursor, type PageRequest, pageParameters } from './page-cursor.ts'
import { readingFields } from './reading-fields.ts'
import type { MemoryParams, RouteParts, SpaceParams } from './route-parts.ts'
import { apiRoute, choice, component, integer, list, object, orNull, pathParameters, text } from './route-schema.ts'

const memory = component(
  'ListedMemory',
  {
    ...object(
      {
        id: text('Unique in its space.'),
        kind: text('The kind of the memory.'),
        text: text('The text of the memory.'),
        conversation: text(''),
        speaker: text(''),
        sources: list(text('The id of an utterance or a correction.')),
        at: orNull(integer('When it was spoken or happened, in ms since 1970.')),
        validFrom: orNull(integer('Event time from which it is true, in ms since 1970.')),
        validTo: orNull(integer('Event time at which it ended; null: it is still true.')),
        knownFrom: integer('Log time at which the memory learned it.'),
        knownTo: orNull(integer('Log time at which it was retired; null: it is current.')),
        derivation: orNull(text('The derivation; null for an utterance.')),
        method: orNull(text('`rules`, or the name of the model; null for an utterance.')),
      },
      [
        'id',
        'kind',
        'text',
        'conversation',
        'speaker',
        'sources',
        'at',
        'knownFrom',
        'knownTo',
        'derivation',
        'method',
      ],
    ),
    additionalProperties: true,
  },
  'A memory of a list. A kind has further fields of its own.',
)
export const listedMemorySchemas = [memory]
const memoryReference = { $ref: 'ListedMemory#' }

const listRoute = apiRoute({
  scope: 'recall',
  id: 'memories',
  tag: 'memories',
  summary: 'The memories of a space by kind',
  about:
    'In the order in which the memory learned them, or the newest first. The list comes from the views, which follow the log within about a second. A kind has further fields of its own.',
  params: pathParameters('space'),
  query: {
    kind: text('utterance, box, fact, event, link, entry, document, profile, or a kind of an extension.'),
    conversation: text('Only memories of this conversation. Default: of all.'),
    state: { ...choice(['current', 'all'], '`all`: also retired memories.'), default: 'current' },
    order: {
      ...choice(['oldest', 'newest'], 'The first item: the one that the memory learned first, or last.'),
      default: 'oldest',
    },
    ...pageParameters,
  },
  required: ['kind'],
  replies: { 200: object({ memories: list(memoryReference), next: nextCursor, ...readingFields }) },
})
const oneRoute = apiRoute({
  scope: 'recall',
  id: 'memory',
  tag: 'memories',
  summary: 'One memory',
  params: pathParameters('space', 'id'),
  replies: { 200: object({ memory: memoryReference, ...readingFields }) },
})
const historyRoute = apiRoute({
  scope: 'recall',
  id: 'history',
  tag: 'memories',
  summary: 'The history of a memory',
  about: 'The records of the log that wrote, changed or retired the memory, in the order of the log.',
  params: pathParameters('space', 'id'),
  query: pageParameters,
  replies: {
    200: object({
      id: text('The id of the memory.'),
      changes: list(
        object({
          event: text('The type of the event.'),
          change: choice(['written', 'changed', 'retired', 'removed'], 'Its effect on the memory.'),
          at: integer('Log time, in ms since 1970.'),
          record: object({ topic: text(''), partition: integer(''), offset: integer('') }),
        }),
      ),
      next: nextCursor,
      ...readingFields,
    }),
  },
})

export function serveMemories(app: FastifyInstance, { options, read }: RouteParts): void {
  app.get<SpaceParams & { Querystring: MemoryList }>('/v1/spaces/:space/memories', listRoute, (request, reply) =>
    read(reply, async () => {
      const { views, generation, epoch } = await options.reading(addressOf(request).tenant)
      return { ...(await memoryPage(request.query, spaceKeyOf(request), views)), generation, epoch }
    }),
  )
  app.get<MemoryParams>('/v1/spaces/:space/memories/:id', oneRoute, (request, reply) =>
    read(reply, async () => {
      const { views, generation, epoch } = await options.reading(addressOf(request).tenant)
      const memory = await memoryById(request.params.id, spaceKeyOf(request), { ...options, views })
      return { memory, generation, epoch }
    }),
  )
  app.get<MemoryParams & { Querystring: PageRequest }>(
    '/v1/spaces/:space/memories/:id/history',
    historyRoute,
    (request, reply) =>
      read(reply, async (signal) => {
        const { views, generation, epoch } = await options.reading(addressOf(request).tenant)
        const { id } = request.params
        const reading = { ...options, views, signal }
        return { id, ...(await historyOf(id, spaceKeyOf(request), request.query, reading)), generation, epoch }
      }),
  )
}
