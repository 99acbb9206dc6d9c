/** Routes that destroy a part of a space for ever. */
import { forgettingFrom, maxForgottenIds } from '@loomlog/forgetting/selection'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requireAuthor } from '../access/author-access.ts'
import { callerNameOf } from '../access/route-access.ts'
import { addressOf } from '../request-address.ts'
import type { MemoryParams, RouteParts, SpaceParams } from './route-parts.ts'
import { apiRoute, boolean, choice, integer, list, object, orNull, pathParameters, text } from './route-schema.ts'

const moment = (description: string) => text(`${description} A day (its beginning, UTC), or a time with a zone.`)
const common = { scope: 'forget', tag: 'forget' } as const
const id = orNull(text('The id of the forgetting; null for a preview, and where there is nothing to forget.'))
const reply = object({
  preview: boolean('Nothing is changed.'),
  id,
  utterances: integer('Utterances that are destroyed.'),
  conversations: integer('Conversations in which one is.'),
  corrections: integer('Corrections, retractions and feedback that are destroyed.'),
  kept: integer('Source events that the space keeps.'),
  unknown: list(text('An id.'), 'Ids of `utterances` in the request that no utterance has.'),
  impact: {
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Memories that rest on them, by table. They are derived again from the rest.',
  },
  mentions: list(
    object({ id: text('The id of the utterance.'), conversation: text('The thread.'), text: text('Its text.') }),
    'Utterances that stay, and name the selected speaker.',
  ),
})

const forget = apiRoute({
  ...common,
  parsed: ['body'],
  id: 'forget',
  params: pathParameters('space'),
  summary: 'Destroy utterances for ever, and everything that was made of them',
  about:
    'Criteria are combined with AND; `everything` stands alone. Once the reply arrives, the request is durable, and the servers carry it out: the space begins again with the events that are kept, and then every byte of the others is destroyed. It can not be undone. A request that is sent again before it is carried out is the same forgetting. Backups and subscribers keep what they have. With a key that is bound to speakers, another author is 403.',
  body: {
    ...object(
      {
        utterances: {
          ...list(text('The id of an utterance, or of a correction.'), 'Only these.'),
          minItems: 1,
          maxItems: maxForgottenIds,
        },
        speaker: text('Utterances of this person or agent, and corrections, retractions and feedback in this name.'),
        conversation: text('Events of this conversation.'),
        from: moment('Events from this time on.'),
        to: moment('Events before this time.'),
        appendedBefore: moment('Events that were appended before this time, whenever they happened.'),
        everything: boolean('The whole space.'),
        by: { ...text('The person or program that asks.'), minLength: 1, maxLength: 256 },
        preview: boolean('Only count what would be destroyed.'),
      },
      ['by', 'preview'],
    ),
    additionalProperties: false,
  },
  replies: {
    200: { description: 'A preview, or nothing to forget.', ...reply },
    202: { description: 'The request is in the log.', ...reply },
  },
})

const statuses = ['requested', 'rewritten', 'passed', 'listed', 'destroyed', 'certified'] as const
const one = apiRoute({
  ...common,
  id: 'forgetting',
  params: { ...pathParameters('space'), id: text('The id of the forgetting.') },
  summary: 'How far a forgetting is, and its certificate',
  replies: {
    200: object({
      id: text('The id of the forgetting.'),
      status: choice(statuses, 'The last step that is complete.'),
      certificate: orNull({
        type: 'object',
        additionalProperties: true,
        description: 'The signed certificate, for `loomlog forget verify`; null: it is not certified yet.',
      }),
    }),
  },
})

export function serveForgettings(app: FastifyInstance, { options, read, deadline }: RouteParts): void {
  const { forgettings } = options
  app.post<SpaceParams>('/v1/spaces/:space/forgettings', forget, async (request, reply) => {
    const address = addressOf(request)
    const asked = forgettingFrom(request.body)
    requireAuthor(request as FastifyRequest, { by: asked.by })
    const found = await read(reply, async () => {
      const { views } = await options.reading(address.tenant)
      return deadline.change(forgettings.request(asked, { ...address, principal: callerNameOf(request), views }))
    })
    return reply.code(found.id === null ? 200 : 202).send(found)
  })
  app.get<MemoryParams>('/v1/spaces/:space/forgettings/:id', one, (request, reply) =>
    read(reply, () => forgettings.read(request.params.id, addressOf(request))),
  )
}
