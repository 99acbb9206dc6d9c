/** The routes of the feed in the API reference, and its events as schemas that the routes refer to. */
import { cloudEventSchemas } from '@loomlog/schemas/cloud-event-schemas'
import { cloudEventTypes } from '@loomlog/schemas/cloud-events'
import type { RouteShorthandOptions } from 'fastify'
import { nextCursor, pageParameters } from '../routes/page-cursor.ts'
import {
  apiRoute,
  boolean,
  choice,
  integer,
  type JsonSchema,
  list,
  object,
  orNull,
  pathParameters,
  text,
} from '../routes/route-schema.ts'

/** Each is a component of the OpenAPI document, under its `$id`. */
export function feedSchemas(): readonly (JsonSchema & { readonly $id: string })[] {
  const events = cloudEventSchemas()
  const place = (record: string) => `#/components/schemas/${record}`
  const mapping = events.flatMap(({ record, types }) => types.map((type) => [type, place(record)] as const))
  const feedEvent = {
    $id: 'FeedEvent',
    description: 'A CloudEvent of the feed. Its type tells the record that `data` has.',
    oneOf: events.map(({ record }) => ({ $ref: `${record}#` })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
  }
  return [...events.map(({ record, schema }) => ({ $id: record, ...schema })), feedEvent]
}

const position = {
  offset: text('`-1` (default): from the beginning; `now`; or a `Stream-Next-Offset` of this stream.'),
  live: choice(['long-poll', 'sse'], 'The way to wait for further events.'),
  cursor: text('The `Stream-Cursor` of the previous reply.'),
}
const query = {
  ...position,
  type: {
    anyOf: [{ type: 'string' }, list({ type: 'string' })],
    description: `Only these types: ${cloudEventTypes.join(', ')}.`,
  },
}

export function feedRoute(scope: 'tenant' | 'space'): RouteShorthandOptions {
  const isSpace = scope === 'space'
  return apiRoute({
    scope: 'subscribe',
    parsed: ['querystring'],
    id: isSpace ? 'spaceFeed' : 'feed',
    tag: 'subscribe',
    summary: isSpace ? 'The feed of a space' : 'The feed of the tenant',
    about: 'The read side of Durable Streams: docs/subscribing.md. [Events](#events-of-the-feed).',
    ...(isSpace && { params: pathParameters('space') }),
    query,
    replies: {
      200: {
        ...list({ $ref: 'FeedEvent#' }),
        description: 'Events; with `live=sse` as `text/event-stream`.',
      },
      204: { type: 'null', description: 'With `live=long-poll`: no new event within the wait.' },
    },
  })
}

export const subscribersRoute = apiRoute({
  scope: 'administer',
  audit: 'off',
  id: 'subscribers',
  tag: 'subscribe',
  summary: 'The subscribers of the tenant: callers that follow a stream by long-poll or SSE',
  about:
    'Of this process, the oldest first. A subscriber stays listed for 90 s after its last request. Consumers on Kafka are groups of the broker, and are not listed.',
  query: pageParameters,
  replies: {
    200: object({
      subscribers: list(
        object({
          id: text('Of the caller, the stream and the way.'),
          name: text('The caller, `local` on a server without keys.'),
          tenant: text('The tenant.'),
          space: orNull(text('The space; null: every space of the tenant.')),
          topic: choice(['memory-events', 'utterances'], 'The topic of the stream.'),
          types: orNull(list(text(''), 'Only these CloudEvents types; null: every type.')),
          live: choice(['long-poll', 'sse'], 'The way in which it waits.'),
          connections: integer('Its requests at this moment; 0: it is between two requests, or gone.'),
          since: integer('Its first request, in ms since 1970.'),
          messages: integer('Messages that its connections have taken since then.'),
          isUpToDate: boolean('Whether each connection has all that there is, and waits.'),
        }),
      ),
      next: nextCursor,
    }),
  },
})

export const utterancesRoute = apiRoute({
  scope: 'recall',
  slot: 'live-reader',
  audit: 'off',
  parsed: ['querystring'],
  id: 'spaceUtterances',
  tag: 'append',
  summary: 'The utterances of a space, as they are appended',
  about:
    'The read side of Durable Streams: docs/subscribing.md. In the order of the log, with records that have the id of an earlier one, and with utterances that a later retraction withdraws.',
  params: pathParameters('space'),
  query: position,
  replies: {
    200: {
      ...list(
        object({
          id: text('Unique in its space. The first utterance with an id counts.'),
          kind: text('`utterance`'),
          conversation: text('The thread.'),
          speaker: text('The person or agent.'),
          role: choice(['human', 'agent', 'tool', 'system'], ''),
          text: text('The words.'),
          at: integer('When it was spoken, in ms since 1970.'),
          appendedAt: integer('Log time, in ms since 1970.'),
          attachments: list({ type: 'object' }, 'Its attachments, each with `kind`, `description` and `uri`.'),
        }),
      ),
      description: 'Utterances; with `live=sse` as `text/event-stream`.',
    },
    204: { type: 'null', description: 'With `live=long-poll`: no new utterance within the wait.' },
  },
})
