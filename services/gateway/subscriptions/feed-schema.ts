/** The routes of the feed in the API reference. */
import { cloudEventTypes } from '@loomlog/schemas/cloud-events'
import type { RouteShorthandOptions } from 'fastify'
import { apiRoute, choice, list, pathParameters, text } from '../routes/route-schema.ts'

const query = {
  offset: text('`-1` (default): from the beginning; `now`; or a `Stream-Next-Offset` of this stream.'),
  live: choice(['long-poll', 'sse'], 'The way to wait for further events.'),
  cursor: text('The `Stream-Cursor` of the previous reply.'),
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
    about: 'The read side of Durable Streams: docs/subscribing.md.',
    ...(isSpace && { params: pathParameters('space') }),
    query,
    replies: {
      200: {
        ...list({ type: 'object' }, 'A CloudEvent.'),
        description: 'Events; with `live=sse` as `text/event-stream`.',
      },
      204: { type: 'null', description: 'With `live=long-poll`: no new event within the wait.' },
    },
  })
}
