/** Routes that append utterances. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { chargeBytes } from '../access/route-access.ts'
import { announcedBytes } from '../request-guard.ts'
import { keyOf, placeOf } from '../request-place.ts'
import { acceptUtterances } from './accept-utterances.ts'
import { appendedReply } from './append-replies.ts'
import { acceptStream } from './append-stream.ts'
import { type AppendWait, AppendWaits, reachedField, waitParameters } from './append-wait.ts'
import type { RouteParts, SpaceParams } from './route-parts.ts'
import { apiRoute, choice, list, named, object, orNull, text } from './route-schema.ts'

const ndjson = 'application/x-ndjson'

const metadata = { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 64 }
const id = text('1 to 256 characters. Default: derived from the content, so that a retry has no further effect.')
const conversation = text('The thread, 1 to 256 characters. Default: the one in the query.')
const attachment = object(
  { kind: text('Such as `image`.'), description: text('In words.'), uri: orNull(text('Its address.')) },
  ['kind', 'description'],
)

const utterance = {
  ...object(
    {
      ...{ id, conversation },
      speaker: text('The person or agent, 1 to 256 characters.'),
      role: { type: 'string', enum: ['human', 'agent', 'tool', 'system'], default: 'human' },
      at: { type: 'string', format: 'date-time', description: 'ISO 8601 with a time zone.' },
      text: text('At most 65,536 bytes.'),
      attachments: { ...list(attachment), maxItems: 64 },
      metadata,
    },
    ['speaker', 'at', 'text'],
  ),
  additionalProperties: false,
}
const message = {
  ...object(
    {
      ...{ id, conversation },
      role: choice(['user', 'assistant', 'system', 'developer', 'tool', 'function'], 'human, agent, system or tool.'),
      content: {
        anyOf: [{ type: 'string' }, { type: 'array' }, { type: 'null' }],
        description: 'Text or parts. Parts that are no text become attachments.',
      },
      name: text('The speaker. Default: the role.'),
      tool_calls: { type: 'array', description: 'Each becomes a line of the text: `name(arguments)`.' },
      tool_call_id: text('Becomes a label.'),
      refusal: orNull(text('')),
      at: {
        anyOf: [{ type: 'string', format: 'date-time' }, { type: 'number' }],
        description:
          'ISO 8601, or seconds or milliseconds since 1970. Default: now. Without `at`, a retry is another utterance, or 409 if it has an `id`.',
      },
      metadata,
    },
    ['role'],
  ),
  description: 'A chat message (OpenAI).',
  additionalProperties: false,
}

const query = { conversation: text('Of the items that name none.'), ...waitParameters }
const reply = { ...appendedReply, properties: { ...(appendedReply.properties as object), reached: reachedField } }
const append = apiRoute({
  ...{ scope: 'append', parsed: ['body'], id: 'append', tag: 'append' },
  summary: 'Append utterances: one, up to 500, or a stream',
  about:
    'A JSON request is appended whole or, if a field is wrong or an id conflicts, not at all. Only an id that two requests to different processes use at the same moment, on Kafka, is refused after the write: the other items of the request are in the log then, and the same request without it may be sent again. A stream (`application/x-ndjson`, one item a line) is appended in batches while it arrives, within 30 s; after an error, batches before it are in the log, and it may be sent again whole. Its reply has no `ids`. Items may be chat messages.',
  params: named('space'),
  query,
  bodies: {
    'application/json': {
      anyOf: [utterance, message, { ...list({ anyOf: [utterance, message] }), minItems: 1, maxItems: 500 }],
    },
    [ndjson]: { type: 'string', description: 'One utterance or message a line.' },
  },
  replies: {
    201: {
      description: 'Durable: the next recall finds them.',
      ...reply,
      required: ['appended', 'known', 'position', 'reached'],
    },
    202: {
      description: 'Durable, and not as far as `wait` asks.',
      ...reply,
      required: ['appended', 'known', 'position', 'reached'],
    },
  },
})

type Append = SpaceParams & { Body: unknown; Querystring: AppendWait & { conversation: string | undefined } }

export function serveUtterances(app: FastifyInstance, parts: RouteParts): void {
  const waits = new AppendWaits()
  app.register(async (scope) => {
    // Read line by line by the handler.
    scope.addContentTypeParser(ndjson, (_request, body, done) => done(null, body))
    scope.post<Append>('/v1/spaces/:space/utterances', append, async (request, reply) => {
      const { status, body } = await appended(request, parts, waits)
      return reply.code(status).send(body)
    })
  })
}

async function appended(request: FastifyRequest<Append>, { options, intake, durably }: RouteParts, waits: AppendWaits) {
  const { body, query } = request
  const place = { ...placeOf(request), conversation: query.conversation }
  // Before the append, since an error after it would hide that the events are in the log.
  const reading = query.wait === 'appended' ? null : await options.reading(place.tenant)
  const accepted = await (body instanceof Readable
    ? acceptStream(body, place, {
        ...{ intake, announced: announcedBytes(request as FastifyRequest) },
        durably: (work) => durably(request, work),
        charge: (bytes) => chargeBytes(request as FastifyRequest, bytes),
      })
    : durably(request, acceptUtterances(body, place, intake)))
  const key = keyOf(request)
  const position = await intake.positionIn(key)
  const from = reading && { log: options.log, views: reading.views, spaces: [key] }
  const reached = from === null ? 'appended' : await waits.reached(query, position, from)
  return { status: reached === query.wait ? 201 : 202, body: { ...accepted, position, reached } }
}
