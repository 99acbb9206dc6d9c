/** Routes that append utterances. */
import { Readable } from 'node:stream'
import { inMemorySpan } from '@loomlog/telemetry/memory-span'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authorFaults } from '../access/author-access.ts'
import { callerNameOf, chargeBytes, holdsScope } from '../access/route-access.ts'
import { departureOf } from '../reply-close.ts'
import { addressOf, spaceKeyOf } from '../request-address.ts'
import { announcedBytes } from '../request-head.ts'
import { acceptUtterances } from './accept-utterances.ts'
import { appendedFields } from './append-replies.ts'
import { acceptStream } from './append-stream.ts'
import { type AppendWait, AppendWaits, reachedState, waitParameters } from './append-wait.ts'
import { idempotencyKeyHeader, idempotencyKeyOf, maxIdempotencyKeyChars } from './idempotency-key.ts'
import type { RouteParts, SpaceParams } from './route-parts.ts'
import { apiRoute, choice, list, object, orNull, pathParameters, text } from './route-schema.ts'

const ndjson = 'application/x-ndjson'

const metadata = { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 64 }
const id = text(
  '1 to 256 characters. Default: derived from `Idempotency-Key`; without, from the content with its time.',
)
const conversation = text('The thread, 1 to 256 characters. Default: that of the request.')
const withoutTime =
  'Default: now. Without `at`, a retry needs the same `id` or the same `Idempotency-Key`, and is compared without the time; else it is another utterance.'
const attachment = object(
  { kind: text('Such as `image`.'), description: text('The description in words.'), uri: orNull(text('The address.')) },
  ['kind', 'description'],
)

const utterance = {
  ...object(
    {
      id,
      conversation,
      speaker: text(
        'The person or agent: 1 to 256 characters, none of them a control, bidirectional, zero-width or separator character. Stored in NFC, trimmed.',
      ),
      role: { type: 'string', enum: ['human', 'agent', 'tool', 'system'], default: 'human' },
      at: {
        type: 'string',
        format: 'date-time',
        description: `ISO 8601 with a time zone. ${withoutTime}`,
      },
      text: text('At most 65,536 bytes.'),
      attachments: { ...list(attachment), maxItems: 64 },
      metadata,
    },
    ['speaker', 'text'],
  ),
  additionalProperties: false,
}
const message = {
  ...object(
    {
      id,
      conversation,
      role: choice(['user', 'assistant', 'system', 'developer', 'tool', 'function'], 'human, agent, system or tool.'),
      content: {
        anyOf: [{ type: 'string' }, { type: 'array' }, { type: 'null' }],
        description: 'Text or parts. Parts other than text become attachments.',
      },
      name: text('The speaker. Default: the role.'),
      tool_calls: orNull({ type: 'array', description: 'Each call becomes a line of the text: `name(arguments)`.' }),
      tool_call_id: orNull(text('Becomes a label of the utterance.')),
      refusal: orNull(text('')),
      at: {
        anyOf: [{ type: 'string', format: 'date-time' }, { type: 'number' }],
        description: `ISO 8601, or seconds or milliseconds since 1970. ${withoutTime}`,
      },
      metadata,
    },
    ['role'],
  ),
  description: 'A chat message (OpenAI).',
  additionalProperties: false,
}

const query = { conversation: text('The conversation of the items that name none.'), ...waitParameters }
const reply = object({ ...appendedFields, reached: reachedState }, ['appended', 'known', 'position', 'reached'])
const append = apiRoute({
  scope: 'append',
  parsed: ['body'],
  id: 'append',
  tag: 'append',
  summary: 'Append utterances: one, up to 500, or a stream',
  about:
    'A JSON request is appended whole or, if a field is wrong or an id conflicts, not at all. There is one exception: on Kafka, an id that two processes write at the same moment is refused after the write. The other items of the request are in the log then, and you may send the request again without this id. A stream (`application/x-ndjson`, one item a line) is appended in batches while it arrives, within 30 s. After an error the earlier batches are in the log, and you may send the whole stream again. The reply to a stream has no `ids`. Items may be chat messages. A request may be sent again, with one effect, if each of its items has an `id` or `at`, or the request has an `Idempotency-Key`. The same id or the same key with other content is 409. With a key that is bound to speakers or roles, an item of another author is 403.',
  params: pathParameters('space'),
  headers: {
    [idempotencyKeyHeader]: {
      ...text(
        'Made by the writer for this request, and the same in each retry. It gives the ids of items that have none, by their number in the request. Writers of a space need different keys, such as UUIDs. Content is compared item by item: another item under a known number is 409, and further items are appended.',
      ),
      minLength: 1,
      maxLength: maxIdempotencyKeyChars,
    },
  },
  query,
  bodies: {
    'application/json': {
      anyOf: [utterance, message, { ...list({ anyOf: [utterance, message] }), minItems: 1, maxItems: 500 }],
    },
    [ndjson]: { type: 'string', description: 'One utterance or message a line.' },
  },
  replies: {
    201: {
      description: 'The events are durable: the next recall finds them.',
      ...reply,
    },
    202: {
      description: 'The events are durable, but did not reach the state of `wait` within `waitMs`.',
      ...reply,
    },
  },
})

type Append = SpaceParams & { Body: unknown; Querystring: AppendWait & { conversation: string | undefined } }

export function serveUtterances(app: FastifyInstance, parts: RouteParts): void {
  const waits = new AppendWaits()
  app.register(async (scope) => {
    // The handler reads the stream line by line.
    scope.addContentTypeParser(ndjson, (_request, body, done) => done(null, body))
    scope.post<Append>('/v1/spaces/:space/utterances', append, async (request, reply) => {
      const { status, body } = await replyTo(request, () => departureOf(reply), parts, waits)
      return reply.code(status).send(body)
    })
  })
}

async function replyTo(
  request: FastifyRequest<Append>,
  departure: () => AbortSignal,
  { options, intake, deadline }: RouteParts,
  waits: AppendWaits,
) {
  const { body, query } = request
  const idempotencyKey = idempotencyKeyOf(request as FastifyRequest)
  const address = {
    ...addressOf(request),
    conversation: query.conversation,
    idempotencyKey,
    itemsBefore: 0,
    principal: callerNameOf(request as FastifyRequest),
    canInstruct: holdsScope(request as FastifyRequest, 'instruct'),
    authorFaults: authorFaults(request as FastifyRequest),
  }
  // Read before the append, since an error after the append would hide that the events are in the log.
  const reading = query.wait === 'appended' ? null : await options.reading(address.tenant)
  const accept = () =>
    body instanceof Readable
      ? acceptStream(body, address, {
          intake,
          announced: announcedBytes(request as FastifyRequest),
          awaitAppend: (work) => deadline.append(request, work),
          charge: (bytes) => chargeBytes(request as FastifyRequest, bytes),
        })
      : deadline.append(request, acceptUtterances(body, address, intake))
  const key = spaceKeyOf(request)
  const creation = { operation: 'create_memory', store: key } as const
  const accepted = await inMemorySpan(creation, accept, ({ appended, known }) => ({ count: appended + known }))
  const position = await intake.positionIn(key)
  const from = reading && { log: options.log, views: reading.views, spaces: [key], signal: departure() }
  const reached = from === null ? 'appended' : await waits.reached(query, position, from)
  return { status: reached === query.wait ? 201 : 202, body: { ...accepted, position, reached } }
}
