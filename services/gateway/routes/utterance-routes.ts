/** Routes that append utterances. */
import type { FastifyInstance } from 'fastify'
import { keyOf, placeOf } from '../request-place.ts'
import { acceptUtterances } from './accept-utterances.ts'
import { appendedReply } from './append-replies.ts'
import type { InSpace, RouteParts } from './route-parts.ts'
import { apiRoute, list, named, object, orNull, text } from './route-schema.ts'

const utterance = {
  ...object(
    {
      id: text('1 to 256 characters. Default: derived from the content, so that a retry has no further effect.'),
      conversation: text('The thread, 1 to 256 characters.'),
      speaker: text('The person or agent, 1 to 256 characters.'),
      role: { type: 'string', enum: ['human', 'agent', 'tool', 'system'], default: 'human' },
      at: { type: 'string', format: 'date-time', description: 'ISO 8601 with a time zone.' },
      text: text('At most 65,536 bytes.'),
      attachments: {
        ...list(
          object(
            { kind: text('Such as `image`.'), description: text('In words.'), uri: orNull(text('Its address.')) },
            ['kind', 'description'],
          ),
        ),
        maxItems: 64,
      },
      metadata: { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 64 },
    },
    ['conversation', 'speaker', 'at', 'text'],
  ),
  additionalProperties: false,
}

const append = apiRoute({
  ...{
    scope: 'append',
    checkedBy: 'handler',
    id: 'append',
    tag: 'append',
    summary: 'Append one utterance or up to 500',
    params: named('space'),
  },
  about: 'A request is appended whole or, if a field is wrong or an id conflicts, not at all.',
  body: { anyOf: [utterance, { ...list(utterance), minItems: 1, maxItems: 500 }] },
  replies: { 201: { description: 'Durable: the next recall finds them.', ...appendedReply } },
})

export function serveUtterances(app: FastifyInstance, { intake, durably }: RouteParts): void {
  app.post<InSpace & { Body: unknown }>('/v1/spaces/:space/utterances', append, async (request, reply) => {
    const accepted = await durably(acceptUtterances(request.body, placeOf(request), intake))
    return reply.code(201).send({ ...accepted, position: await intake.positionIn(keyOf(request)) })
  })
}
