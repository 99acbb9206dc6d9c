/** Routes of the process, of a caller's key, and of a tenant's account: health, rights, status, tokens and money. */
import { scopes } from '@loomlog/access/scopes'
import { version } from '@loomlog/host/version'
import type { FastifyInstance } from 'fastify'
import { rightsOf, tenantOf } from '../access/route-access.ts'
import type { RouteParts } from './route-parts.ts'
import { apiRoute, boolean, choice, integer, list, number, object, orNull, text } from './route-schema.ts'

const partStatus = object({
  name: text('The stage or view.'),
  topic: text('The topic that it reads.'),
  position: integer('Processed offsets, over all partitions.'),
  end: integer('Offsets of the topic, over all partitions.'),
  lag: integer('`end` less `position`.'),
  behindMs: integer('Age of the oldest unprocessed record, in ms.'),
  owners: list(text('A process.'), 'The processes that hold its partitions.'),
  frozen: orNull(text('Why this process does not run it; null if it does.')),
})

const sum = object({
  asks: integer('Recorded answers.'),
  calls: integer('Requests that were sent to an endpoint for these answers, those that failed and repairs included.'),
  repairs: integer(
    'Times that a model was asked again because its answer was invalid, or because a stage refused parts of it.',
  ),
  inputTokens: integer('Tokens in.'),
  outputTokens: integer('Tokens out.'),
  money: orNull(number('By LOOMLOG_PRICES; null if a model has no price.')),
})

const health = apiRoute({
  scope: 'open',
  id: 'health',
  tag: 'process',
  summary: 'Whether the process answers',
  about:
    'On a server without keys, `conditions` lists outages, and paused, frozen or stalled stages. They do not change the status.',
  replies: {
    200: object(
      {
        status: text('`ok`'),
        version: text('The version of loomlog.'),
        conditions: { type: 'object', description: 'The current conditions by name.' },
      },
      ['status', 'version'],
    ),
  },
})

const access = apiRoute({
  scope: 'any',
  id: 'access',
  tag: 'account',
  summary: 'The rights of the key',
  about: 'For any valid key. On a server without keys: every right.',
  replies: {
    200: object({
      name: text('The name in the audit: `key:ID`, `token:SUBJECT`, or `local` if no key is needed.'),
      tenant: orNull(text('The tenant; null: every tenant, so requests name one.')),
      scopes: list(choice(scopes, ''), 'The scopes.'),
      spaces: orNull({
        ...list(text('The name of a space.')),
        type: 'array',
        description: 'The spaces; null: every space.',
      }),
      speakers: orNull({
        ...list(text('A name.')),
        type: 'array',
        description: 'The authors in whose names it writes; null: any.',
      }),
      roles: orNull({ ...list(text('A role.')), type: 'array', description: 'The roles of these authors; null: any.' }),
    }),
  },
})

const status = apiRoute({
  scope: 'operate',
  audit: 'off',
  id: 'status',
  tag: 'process',
  summary: 'Progress of every stage and view, and disk use',
  replies: {
    200: object({
      generation: orNull(text('The live generation.')),
      epoch: integer('The number of promotions.'),
      beside: list(text('The id of a generation.'), 'Generations that are derived beside it.'),
      stages: list(partStatus),
      views: list(partStatus),
      parked: integer('The number of parked inputs of live generations that wait for a retry.'),
      parkedByCode: { type: 'object', description: 'How often inputs were parked, by code. Every attempt counts.' },
      bytes: object({ log: integer('Bytes of the log.'), views: integer('Bytes of the views.') }),
    }),
  },
})

const usage = apiRoute({
  scope: 'administer',
  id: 'usage',
  tag: 'account',
  summary: 'Tokens and money of the recorded answers of the tenant',
  replies: {
    200: object({
      total: sum,
      today: { ...sum, description: 'Since midnight, UTC.' },
      accounts: list({ type: 'object' }, 'By space, stage, prompt and model: the 500 with the most tokens.'),
      days: list({ type: 'object' }, 'Of the last 30 days (UTC), by stage, prompt and model: the newest 3,000 sums.'),
      isComplete: boolean('Whether all accounts and all sums of these days are listed.'),
    }),
  },
})

export function serveProcess(app: FastifyInstance, { options, read }: RouteParts): void {
  app.get('/healthz', health, async () => ({
    status: 'ok',
    version,
    // Conditions name stages and endpoints: with keys, GET /v1/status shows them to operators only.
    ...(options.access.isOpen && { conditions: Object.fromEntries(options.conditions.current) }),
  }))
  app.get('/v1/access', access, async (request) => {
    const { name, tenant, scopes, spaces, authors } = rightsOf(request)
    const { speakers, roles } = authors
    return {
      name,
      tenant,
      scopes: [...scopes],
      spaces: spaces && [...spaces],
      speakers: speakers && [...speakers],
      roles: roles && [...roles],
    }
  })
  app.get('/v1/status', status, (_, reply) =>
    read(reply, async () => ({ ...(await options.status()), recalls: options.recalls?.counts ?? 'off' })),
  )
  app.get('/v1/usage', usage, (request, reply) => read(reply, () => options.usage(tenantOf(request))))
}
