/** Routes that correct a memory. */
import { acceptCorrection } from '@loomlog/corrections/accept-correction'
import { maxRetractedIds, planRetraction, retractionFrom } from '@loomlog/corrections/retraction'
import { inMemorySpan, type MemoryOperation } from '@loomlog/telemetry/memory-span'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { intakeOfAuthors, requireAuthor } from '../access/author-access.ts'
import { callerNameOf } from '../access/route-access.ts'
import { addressOf, spaceKeyOf } from '../request-address.ts'
import { appendedFields } from './append-replies.ts'
import type { RouteParts, SpaceParams } from './route-parts.ts'
import { apiRoute, boolean, choice, list, object, orNull, pathParameters, text } from './route-schema.ts'

const time = (description: string) => text(`${description} A day (its beginning, UTC), or a time with a zone.`)

const correct = apiRoute({
  scope: 'correct',
  parsed: ['body'],
  id: 'correct',
  tag: 'correct',
  summary: 'Correct a memory',
  params: pathParameters('space'),
  about:
    'When the reply arrives, the correction is durable. Stages apply it in the order of the space, and again in every later derivation. A repeated correction has no further effect. With a key that is bound to speakers or roles, another author is 403.',
  body: object(
    {
      action: choice(['replace', 'pin', 'retract', 'add'], '`add` states something that is in no utterance.'),
      memory: text('Id of a fact or an entry; not with `add`.'),
      text: text('The right wording, with `replace` and `add`.'),
      from: time(
        'The time from which the text holds, with `replace`; the memory holds until then. Without it the memory never held.',
      ),
      conversation: text('The conversation of an added statement. Default: `corrections`.'),
      by: text('The author.'),
      role: { ...choice(['human', 'agent'], "An agent can't correct the words of a person."), default: 'human' },
      reason: text('The reason, in words.'),
    },
    ['action', 'by'],
  ),
  replies: {
    201: {
      description: 'The correction is in the log.',
      ...object({
        ...appendedFields,
        corrections: list(
          { $ref: 'CorrectionEvent#' },
          'The events: the first has the new words, and the others retract the same statement elsewhere.',
        ),
      }),
    },
  },
})

const causes = {
  utterances: {
    ...list(text('The id of an utterance.'), 'Only these utterances.'),
    minItems: 1,
    maxItems: maxRetractedIds,
  },
  speaker: text('Utterances of this person or agent.'),
  conversation: text('Utterances of this conversation.'),
  derivation: text('Only memories of this derivation.'),
  principal: text('Utterances that this key or token brought: `key:ID` or `token:SUBJECT`.'),
  from: time('Utterances from this time on.'),
  to: time('Utterances before this time.'),
}
const memories = list(
  object({ id: text('The id of the memory.'), text: text('The text of the memory.') }),
  'Memories derived from the utterances.',
)
const retractionFields = {
  dryRun: boolean('Nothing is changed: no event is appended.'),
  unknown: list(
    text('An id.'),
    'Ids of `utterances` in the request that no utterance has, or only a retracted one, or one of a person if the author is an agent.',
  ),
  utterances: list(
    object({ id: text('The id of the utterance.'), conversation: text('The thread.'), text: text('Its text.') }),
    'The retracted utterances.',
  ),
  downstream: { type: 'object', additionalProperties: memories, description: 'The affected memories by table.' },
}
const { position: _, ...countFields } = appendedFields
const retract = apiRoute({
  scope: 'correct',
  parsed: ['body'],
  id: 'retract',
  tag: 'correct',
  params: pathParameters('space'),
  summary: 'Retract every memory with a given origin',
  about:
    'The request has at least one cause; several are combined with AND. Later utterances are not affected. The utterances stay in the log. The reply lists the affected memories. With `dryRun` nothing changes. With a key that is bound to speakers or roles, another author is 403.',
  body: {
    ...object(
      {
        ...causes,
        by: { ...text('The author.'), minLength: 1, maxLength: 256 },
        role: { ...choice(['human', 'agent'], ''), default: 'human' },
        reason: { ...orNull(text('The reason, in words.')), default: null },
        dryRun: { ...boolean('Only list the affected memories.'), default: false },
      },
      ['by'],
    ),
    additionalProperties: false,
  },
  replies: {
    200: { description: 'The affected memories of a dry run.', ...object({ ...countFields, ...retractionFields }) },
    201: { description: 'The retraction is in the log.', ...object({ ...appendedFields, ...retractionFields }) },
  },
})

function operationOf(body: unknown, store: string): MemoryOperation {
  const { action } = (body ?? {}) as { readonly action?: unknown }
  const operations = { add: 'create_memory', retract: 'delete_memory' } as const
  return { operation: action === 'add' || action === 'retract' ? operations[action] : 'update_memory', store }
}

export function serveCorrections(app: FastifyInstance, { options, intake, read, deadline }: RouteParts): void {
  app.post<SpaceParams>('/v1/spaces/:space/corrections', correct, async (request, reply) => {
    const address = addressOf(request)
    const origin = { ...address, principal: callerNameOf(request) }
    const authored = intakeOfAuthors(request as FastifyRequest, intake)
    const accepted = await read(reply, async () => {
      const { views } = await options.reading(address.tenant)
      const accept = () => deadline.append(request, acceptCorrection(request.body, origin, views, authored))
      return await inMemorySpan(operationOf(request.body, spaceKeyOf(request)), accept, ({ corrections }) => ({
        count: corrections.length,
        record: corrections[0]?.target?.memory,
      }))
    })
    return reply.code(201).send({ ...accepted, position: await intake.positionIn(spaceKeyOf(request)) })
  })
  app.post<SpaceParams>('/v1/spaces/:space/retractions', retract, async (request, reply) => {
    const address = addressOf(request)
    const retraction = retractionFrom(request.body)
    requireAuthor(request as FastifyRequest, retraction)
    const { events, ...plan } = await read(reply, async () => {
      const { views } = await options.reading(address.tenant)
      return planRetraction(retraction, { ...address, principal: callerNameOf(request) }, { ...options, views })
    })
    if (plan.dryRun) return { ...plan, appended: 0, known: 0 }
    const deletion = { operation: 'delete_memory', store: spaceKeyOf(request) } as const
    const append = () => deadline.append(request, intake.append(events))
    const counts = await inMemorySpan(deletion, append, () => ({ count: plan.utterances.length }))
    const position = await intake.positionIn(spaceKeyOf(request))
    return reply.code(201).send({ ...plan, ...counts, position })
  })
}
