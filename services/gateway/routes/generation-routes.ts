/**
 * Routes of generations: everything that `loomlog generation` can do. They concern all tenants, so a caller needs
 * `administer` for every tenant.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { FastifyInstance } from 'fastify'
import type { CompareBody, PromptTexts, SettingsBody, StartBody } from '../application-actions.ts'
import { topicPosition, topicPositionOrNull } from './append-replies.ts'
import { nextCursor, type PageRequest, pageOf, pageParameters } from './page-cursor.ts'
import type { RouteParts } from './route-parts.ts'
import { apiRoute, boolean, choice, integer, list, number, object, orNull, text } from './route-schema.ts'

const statusActions = ['pause', 'resume', 'cancel'] as const

const ofTenant = { ...orNull(text('Only for this tenant; null: for everyone.')), default: null }
const settings = {
  set: {
    ...list(
      text('KEY=VALUE'),
      '`STAGE.prompt=NAME` of `prompts`, `STAGE.model=NAME`, `STAGE.PARAMETER=NUMBER`, `view-embedder=VECTOR_SPACE`.',
    ),
    maxItems: 100,
    default: [],
  },
  prompts: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Prompts by name, for `set`.',
    default: {},
  },
  from: { ...orNull(text('The generation to start from; null: the live one.')), default: null },
  tenant: { ...orNull(text('Derive only the spaces of this tenant.')), default: null },
  sample: {
    ...orNull(
      object({
        share: { ...number('The share of the spaces.'), exclusiveMinimum: 0, maximum: 1 },
        seed: integer('The same seed draws the same sample.'),
      }),
    ),
    default: null,
  },
  spaces: { ...list(text('TENANT/SPACE'), 'Derive only these spaces.'), maxItems: 1_000, default: [] },
}
const body = (properties: Parameters<typeof object>[0], required: readonly string[] = []) => ({
  ...object(properties, required),
  additionalProperties: false,
})
const common = { scope: 'operate', tag: 'generations' } as const
const generation = { ...common, params: { id: text('The id or its beginning, the name, or `live`.') } } as const
const live = object({
  generation: text('The id of the generation that is live now.'),
  tenant: orNull(text('The tenant; null: every tenant without a generation of its own.')),
  previous: orNull(text('The id of the generation that was live before.')),
  epoch: integer('Rises with every change of the live generation.'),
  cause: choice(['promoted', 'rolledBack'], ''),
  position: topicPosition,
})
const planned = object(
  {
    generation: text('The id of the planned generation.'),
    from: text('The id of the generation that it starts from.'),
    stages: list(
      object({ stage: text(''), derivation: text(''), reused: boolean(''), reasons: list(text('')) }),
      'The changes by stage.',
    ),
    chosen: { type: 'object', description: 'The chosen settings.' },
    estimate: { type: 'object', description: 'Asks, tokens, money and time, by stage.' },
    status: orNull(text('The status if this generation exists already; null if it is new.')),
  },
  ['generation', 'from', 'stages', 'chosen', 'estimate', 'status'],
)
const parts = object({ generation: text(''), topics: list(text('')), views: list(text('')) })
const summary = object(
  { id: text(''), name: orNull(text('')), status: text(''), liveFor: list(text('`everyone`, or `tenant NAME`.')) },
  ['id', 'name', 'status', 'liveFor'],
)

const routes = {
  list: apiRoute({
    ...common,
    id: 'generations',
    summary: 'All generations with their status',
    about: 'In the order of their definition.',
    query: pageParameters,
    replies: {
      200: object({
        epoch: integer('The number of promotions.'),
        live: orNull(text('The live generation of everyone; a tenant may have one of its own.')),
        generations: list(summary),
        next: nextCursor,
      }),
    },
  }),
  plan: apiRoute({
    ...common,
    id: 'planGeneration',
    summary: 'Plan a generation with its cost',
    about: 'Changes nothing, and calls no model.',
    body: body(settings),
    replies: { 200: planned },
  }),
  start: apiRoute({
    ...common,
    id: 'startGeneration',
    summary: 'Derive a generation beside the live one, or start a stopped generation again',
    body: body({
      generation: { ...orNull(text('A generation that exists; not with settings.')), default: null },
      name: { ...orNull(text('The name of the new generation.')), default: null },
      share: { ...orNull(number('Maximum share of the time that it is derived beside live work.')), default: null },
      ...settings,
    }),
    replies: {
      201: object({
        generation: text('The id of the generation.'),
        plan: { type: ['object', 'null'], description: 'The plan; null if the generation existed.' },
        position: topicPositionOrNull('it was started before'),
      }),
    },
  }),
  compare: apiRoute({
    ...common,
    id: 'compareGenerations',
    summary: 'Compare the memories of two generations',
    body: body(
      {
        before: text('A generation.'),
        after: text('Another generation.'),
        spaces: { ...list(text('TENANT/SPACE')), maxItems: 1_000, default: [] },
        questions: {
          anyOf: [
            list(
              object({
                space: text('TENANT/SPACE'),
                question: text(''),
                evidence: { ...list(text('The id of an utterance.')), minItems: 1 },
              }),
            ),
            { type: 'null' },
          ],
          default: null,
          description: 'Questions on which the recall of both is compared.',
        },
        limit: { ...integer('Maximum number of listed changes.'), minimum: 0, maximum: 10_000, default: 50 },
      },
      ['before', 'after'],
    ),
    replies: {
      200: object({
        before: text(''),
        after: text(''),
        counts: { type: 'object' },
        changes: list({ type: 'object' }),
        leftOut: integer('Number of changes beyond `limit`.'),
      }),
    },
  }),
  details: apiRoute({
    ...generation,
    id: 'generation',
    summary: 'Progress, speed and history of a generation',
    replies: {
      200: {
        ...summary,
        properties: {
          ...(summary.properties as object),
          progress: list({ type: 'object' }),
          history: list({ type: 'object' }),
        },
      },
    },
  }),
  promote: apiRoute({
    ...generation,
    id: 'promoteGeneration',
    summary: 'Make a generation live',
    about:
      'The reply is 409 `not-caught-up` if the generation is more than 5 s further behind than the live one, and 409 `generation-refused` if it ' +
      "has fewer than half of the live one's facts or entries. The detail names both numbers.",
    body: body({ tenant: ofTenant, anyway: { ...boolean('Also if it is behind, or has fewer.'), default: false } }),
    replies: { 200: live },
  }),
  rollBack: apiRoute({
    ...common,
    id: 'rollBack',
    summary: 'Make the previous generation live again',
    body: body({ tenant: ofTenant, anyway: { ...boolean('Also if that generation is behind.'), default: false } }),
    replies: { 200: live },
  }),
  retire: apiRoute({
    ...generation,
    id: 'retireGeneration',
    summary: 'Mark a generation for removal',
    body: body({ dryRun: { ...boolean('Only list the parts that would be removed.'), default: false } }),
    replies: {
      200: object({
        ...(parts.properties as Parameters<typeof object>[0]),
        status: text(''),
        position: topicPositionOrNull('nothing changed'),
      }),
    },
  }),
  collect: apiRoute({
    ...common,
    id: 'collectGenerations',
    summary: 'Remove the topics, state and views that only retired generations use',
    body: body({ dryRun: { ...boolean('Only list the parts that would be removed.'), default: false } }),
    replies: {
      200: object({ removed: list(parts), dryRun: boolean(''), position: topicPositionOrNull('nothing was removed') }),
    },
  }),
}
const statusRoute = (action: (typeof statusActions)[number], summary: string) =>
  apiRoute({
    ...generation,
    id: `${action}Generation`,
    summary,
    replies: { 200: object({ generation: text(''), status: text(''), position: topicPosition }) },
  })
const statusRoutes = {
  pause: statusRoute('pause', 'Stop deriving a generation for now'),
  resume: statusRoute('resume', 'Continue a paused generation'),
  cancel: statusRoute('cancel', 'Stop deriving a generation; its data stays'),
}

type OfGeneration = { Params: { id: string } }
type PromotionBody = { tenant: string | null; anyway: boolean }

export function serveGenerations(app: FastifyInstance, { options: { generations: work }, read }: RouteParts): void {
  app.get<{ Querystring: PageRequest }>('/v1/generations', routes.list, ({ query }, reply) =>
    read(reply, async () => {
      const { generations, ...others } = await work.list()
      const { items, next } = pageOf(generations, query, {
        list: 'generations',
        types: ['number', 'string'],
        keyOf: ({ definedAt, id }) => [definedAt, id],
      })
      return { ...others, generations: items, next }
    }),
  )
  app.post<{ Body: SettingsBody & PromptTexts }>('/v1/generations/plan', routes.plan, ({ body }, reply) =>
    read(reply, () => work.plan({ ...body, readPrompt: promptsIn(body) })),
  )
  app.post<{ Body: StartBody & PromptTexts }>('/v1/generations', routes.start, async ({ body }, reply) => {
    const request = { ...body, readPrompt: promptsIn(body), derivedBy: 'servers' } as const
    return reply.code(201).send(await read(reply, () => work.start(request)))
  })
  app.post<{ Body: CompareBody }>('/v1/generations/compare', routes.compare, ({ body }, reply) =>
    read(reply, () => work.compare(body)),
  )
  app.post<{ Body: PromotionBody }>('/v1/generations/rollback', routes.rollBack, ({ body }, reply) =>
    read(reply, () => work.rollBack(promotionOptions(body))),
  )
  app.post<{ Body: { dryRun: boolean } }>('/v1/generations/collect', routes.collect, ({ body }, reply) =>
    read(reply, () => work.collect(body.dryRun ? 'list' : 'remove')),
  )
  app.get<OfGeneration>('/v1/generations/:id', routes.details, ({ params }, reply) =>
    read(reply, () => work.details(params.id)),
  )
  app.post<OfGeneration & { Body: PromotionBody }>(
    '/v1/generations/:id/promote',
    routes.promote,
    ({ params, body }, reply) => read(reply, () => work.promote(params.id, promotionOptions(body))),
  )
  app.post<OfGeneration & { Body: { dryRun: boolean } }>(
    '/v1/generations/:id/retire',
    routes.retire,
    ({ params, body }, reply) => read(reply, () => work.retire(params.id, body.dryRun ? 'list' : 'retire')),
  )
  for (const action of statusActions) {
    app.post<OfGeneration>(`/v1/generations/:id/${action}`, statusRoutes[action], ({ params }, reply) =>
      read(reply, () => work.applyStatusAction(params.id, action)),
    )
  }
}

function promotionOptions({ tenant, anyway }: PromotionBody) {
  return { tenant, checks: anyway ? 'skip' : 'apply' } as const
}

/** A prompt is text in the body: a name reads no file of the server. */
function promptsIn({ prompts }: PromptTexts): (name: string) => string {
  return (name) => {
    const text = Object.hasOwn(prompts, name) ? prompts[name] : undefined
    if (text !== undefined) return text
    throw invalidInput('prompts', Object.keys(prompts), `the text of ${name}, which a setting names`)
  }
}
