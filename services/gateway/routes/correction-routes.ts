/** Routes that correct a memory. */
import type { FastifyInstance } from 'fastify'
import { keyOf, placeOf } from '../request-place.ts'
import { acceptCorrection } from './accept-correction.ts'
import { appendedReply } from './append-replies.ts'
import type { InSpace, RouteParts } from './route-parts.ts'
import { apiRoute, choice, named, object, text } from './route-schema.ts'

const correct = apiRoute({
  ...{
    scope: 'correct',
    parsed: ['body'],
    id: 'correct',
    tag: 'correct',
    summary: 'Correct a memory',
    params: named('space'),
  },
  about:
    'The correction is durable in the reply. Stages apply it in its turn, and again in every later derivation. A repeated one has no further effect.',
  body: object(
    {
      action: choice(['replace', 'pin', 'retract', 'add'], '`add` states something that is in no utterance.'),
      memory: text('Id of a fact, an event or an entry; not with `add`.'),
      text: text('The right wording, with `replace` and `add`.'),
      conversation: text('Of an added statement. Default: `corrections`.'),
      by: text('The author.'),
      role: { ...choice(['human', 'agent'], "An agent can't correct the words of a person."), default: 'human' },
      reason: text('The reason, in words.'),
    },
    ['action', 'by'],
  ),
  replies: { 201: { description: 'The correction is in the log.', ...appendedReply } },
})

export function serveCorrections(app: FastifyInstance, { options, intake, read, durably }: RouteParts): void {
  app.post<InSpace>('/v1/spaces/:space/corrections', correct, async (request, reply) => {
    const place = placeOf(request)
    const accepted = await read(reply, async () => {
      const { views } = await options.reading(place.tenant)
      return await durably(acceptCorrection(request.body, place, views, intake))
    })
    return reply.code(201).send({ ...accepted, position: await intake.positionIn(keyOf(request)) })
  })
}
