/** Routes that list spaces and conversations with their sizes, and routes that end one. */
import type { TailOptions } from '@loomlog/recall/log-tail'
import type { ConversationPaused, SpacePaused } from '@loomlog/schemas/events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tenantOf } from '../access/route-access.ts'
import { addressOf, spaceKeyOf } from '../request-address.ts'
import { appendedReply } from './append-replies.ts'
import { conversationEndOf, conversationsOf, spaceEndOf } from './conversations.ts'
import { kindOf } from './memory-rows.ts'
import { nextCursor, type PageRequest, pageOf, pageParameters } from './page-cursor.ts'
import { readingFields } from './reading-fields.ts'
import type { RouteParts, SpaceParams } from './route-parts.ts'
import { apiRoute, integer, list, object, pathParameters, text } from './route-schema.ts'

const size = {
  space: text('The name of the space.'),
  records: integer('The number of source events: utterances, pauses, corrections.'),
  bytes: integer('The bytes of these events in the log.'),
  firstAt: integer('Log time of the first event, in ms since 1970.'),
  lastAt: integer('Log time of the last event.'),
}

const listRoute = apiRoute({
  scope: 'recall',
  id: 'spaces',
  tag: 'spaces',
  summary: 'The spaces of the tenant, with their sizes',
  query: pageParameters,
  replies: { 200: object({ spaces: list(object(size)), next: nextCursor }) },
})
const oneRoute = apiRoute({
  scope: 'recall',
  id: 'space',
  tag: 'spaces',
  summary: 'The number of memories of a space, by kind',
  about: 'Counted in the views. `counts` includes retired memories.',
  params: pathParameters('space'),
  replies: {
    200: object({
      space: text('The name of the space.'),
      counts: {
        type: 'object',
        additionalProperties: { type: 'integer' },
        description: 'The number of memories by kind.',
      },
      ...readingFields,
    }),
  },
})
const conversationsRoute = apiRoute({
  scope: 'recall',
  id: 'conversations',
  tag: 'spaces',
  summary: 'The conversations of a space',
  about: 'The list comes from the view of utterances, which follows the log within about a second.',
  params: pathParameters('space'),
  query: pageParameters,
  replies: {
    200: object({
      conversations: list(
        object({
          conversation: text('The name of the conversation.'),
          utterances: integer('The number of its utterances.'),
          speakers: list(text('')),
          firstAt: integer('Event time of the first utterance, in ms since 1970.'),
          lastAt: integer('Event time of the last utterance.'),
        }),
      ),
      next: nextCursor,
      ...readingFields,
    }),
  },
})
const endRoute = apiRoute({
  scope: 'append',
  id: 'endConversation',
  tag: 'append',
  summary: 'End a conversation',
  about:
    'Seals its last box at once, instead of after LOOMLOG_PAUSE_MS. A later utterance opens the conversation again.',
  params: { ...pathParameters('space'), conversation: text('The name of the conversation.') },
  replies: { 201: { description: 'The end is in the log.', ...appendedReply } },
})
const spaceEndRoute = apiRoute({
  scope: 'append',
  id: 'endSpace',
  tag: 'append',
  summary: 'Derive the waiting boxes and facts of a space',
  about:
    'With a model, boxes and facts wait for others to share an ask. This request ends the wait at once, instead of after LOOMLOG_SPACE_PAUSE_MS. End the conversations of the space first.',
  params: pathParameters('space'),
  replies: { 201: { description: 'The end is in the log.', ...appendedReply } },
})

type Pause = ConversationPaused | SpacePaused
type OfConversation = { Params: { space: string; conversation: string } }

export function serveSpaces(app: FastifyInstance, { options, intake, directory, read, deadline }: RouteParts): void {
  app.get<{ Querystring: PageRequest }>('/v1/spaces', listRoute, (request, reply) =>
    read(reply, async (signal) => {
      const tenant = tenantOf(request)
      const spaces = await directory.of(tenant, signal)
      const { items, next } = pageOf(spaces, request.query, {
        list: `${tenant}/`,
        types: ['string'],
        keyOf: ({ space }) => [space],
      })
      return { spaces: items, next }
    }),
  )
  app.get<SpaceParams>('/v1/spaces/:space', oneRoute, (request, reply) =>
    read(reply, async () => {
      const { tenant, space } = addressOf(request)
      const { views, generation, epoch } = await options.reading(tenant)
      const count = async (table: (typeof views.tables)[number]) =>
        [kindOf(table), await views.count(table, { space: spaceKeyOf(request) })] as const
      const counts = Object.fromEntries(await Promise.all(views.tables.map(count)))
      return { space, counts, generation, epoch }
    }),
  )
  app.get<SpaceParams & { Querystring: PageRequest }>(
    '/v1/spaces/:space/conversations',
    conversationsRoute,
    (request, reply) =>
      read(reply, async (signal) => {
        const { views, generation, epoch } = await options.reading(addressOf(request).tenant)
        const key = spaceKeyOf(request)
        const all = await conversationsOf(key, views, signal)
        const { items, next } = pageOf(all, request.query, {
          list: `${key}/`,
          types: ['string'],
          keyOf: ({ conversation }) => [conversation],
        })
        return { conversations: items, next, generation, epoch }
      }),
  )
  const end = async (
    request: FastifyRequest<SpaceParams>,
    reply: FastifyReply,
    findEnd: (tail: TailOptions) => Promise<Pause>,
  ) => {
    const event = await read(reply, async () => {
      const { views } = await options.reading(addressOf(request).tenant)
      return findEnd({ ...options, views })
    })
    const appended = await deadline.append(request, intake.append([event]))
    return reply
      .code(201)
      .send({ ids: [event.id], ...appended, position: await intake.positionIn(spaceKeyOf(request)) })
  }
  app.post<OfConversation>('/v1/spaces/:space/conversations/:conversation/end', endRoute, (request, reply) =>
    end(request, reply, (tail) => conversationEndOf(request.params.conversation, addressOf(request), tail)),
  )
  app.post<SpaceParams>('/v1/spaces/:space/end', spaceEndRoute, (request, reply) =>
    end(request, reply, (tail) => spaceEndOf(addressOf(request), tail)),
  )
}
