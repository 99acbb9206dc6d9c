/** Routes of generations: everything that `loomlog generation` can do. They concern every tenant, so they need `administer` for all. */
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { FastifyInstance } from 'fastify'
import type { CompareBody, PromptTexts, SettingsBody, StartBody } from '../application-work.ts'
import type { RouteParts } from './route-parts.ts'
import { apiRoute, choice, fraction, list, object, orNull, text, truth, whole } from './route-schema.ts'

const moves = ['pause', 'resume', 'cancel'] as const

const ofTenant = { ...orNull(text('Only for this tenant; null: for everyone.')), default: null }
const settings = {
  set: {
    ...list(
      text('KEY=VALUE'),
      '`STAGE.prompt=NAME` of `prompts`, `STAGE.model=NAME`, `STAGE.PARAMETER=NUMBER`, `view-embedder=SPACE`.',
    ),
    maxItems: 100,
    default: [],
  },
  prompts: { type: 'object', additionalProperties: { type: 'string' }, description: 'Texts by name.', default: {} },
  from: { ...orNull(text('The generation to start from; null: the live one.')), default: null },
  tenant: { ...orNull(text('Derive only the spaces of this tenant.')), default: null },
  sample: {
    ...orNull(
      object({
        share: { ...fraction('Of the spaces.'), exclusiveMinimum: 0, maximum: 1 },
        seed: whole('Draws the same sample again.'),
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
const generation = { ...common, params: { id: text('The id, the start of it, the name, or `live`.') } } as const
const live = object({
  generation: text('The live one.'),
  tenant: orNull(text('Null: everyone.')),
  previous: orNull(text('Live before.')),
  epoch: whole('Rises with every change.'),
  cause: choice(['promoted', 'rolledBack'], ''),
})
const planned = object(
  {
    generation: text('Its id.'),
    from: text('The generation it starts from.'),
    stages: list(
      object({ stage: text(''), derivation: text(''), reused: truth(''), reasons: list(text('')) }),
      'Changes by stage.',
    ),
    chosen: { type: 'object', description: 'Settings.' },
    estimate: { type: 'object', description: 'Asks, tokens, money and time, by stage.' },
    status: orNull(text('Null: it is new.')),
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
    ...{ ...common, id: 'generations', summary: 'All generations with their status' },
    replies: {
      200: object({ epoch: whole('Promotions.'), live: orNull(text('Of everyone.')), generations: list(summary) }),
    },
  }),
  plan: apiRoute({
    ...{ ...common, id: 'planGeneration', summary: 'Plan a generation with its cost' },
    ...{ about: 'Changes nothing, and calls no model.', body: body(settings), replies: { 200: planned } },
  }),
  start: apiRoute({
    ...{
      ...common,
      id: 'startGeneration',
      summary: 'Derive a generation beside the live one, or start a stopped one again',
    },
    body: body({
      generation: { ...orNull(text('One that exists; then without settings.')), default: null },
      name: { ...orNull(text('Of the new one.')), default: null },
      share: { ...orNull(fraction('Largest share of the time beside live work.')), default: null },
      ...settings,
    }),
    replies: {
      201: object({
        generation: text('Its id.'),
        plan: { type: ['object', 'null'], description: 'Null: it existed.' },
      }),
    },
  }),
  compare: apiRoute({
    ...{ ...common, id: 'compareGenerations', summary: 'Compare the memories of two generations' },
    body: body(
      {
        before: text('A generation.'),
        after: text('Another one.'),
        spaces: { ...list(text('TENANT/SPACE')), maxItems: 1_000, default: [] },
        questions: {
          anyOf: [
            list(
              object({
                space: text('TENANT/SPACE'),
                question: text(''),
                evidence: { ...list(text('An utterance.')), minItems: 1 },
              }),
            ),
            { type: 'null' },
          ],
          default: null,
          description: 'Recall is compared on them.',
        },
        limit: { ...whole('Changes that are listed.'), minimum: 0, maximum: 10_000, default: 50 },
      },
      ['before', 'after'],
    ),
    replies: {
      200: object({
        before: text(''),
        after: text(''),
        counts: { type: 'object' },
        changes: list({ type: 'object' }),
        leftOut: whole('Changes that are not listed.'),
      }),
    },
  }),
  details: apiRoute({
    ...{ ...generation, id: 'generation', summary: 'Progress, speed and history of a generation' },
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
    ...{ ...generation, id: 'promoteGeneration', summary: 'Make a generation live' },
    ...{
      about: '409 `not-caught-up` if it is more than 5 s behind.',
      body: body({ tenant: ofTenant }),
      replies: { 200: live },
    },
  }),
  rollBack: apiRoute({
    ...{ ...common, id: 'rollBack', summary: 'Make the generation live again that was live before' },
    body: body({ tenant: ofTenant, anyway: { ...truth('Also if it is behind.'), default: false } }),
    replies: { 200: live },
  }),
  retire: apiRoute({
    ...{ ...generation, id: 'retireGeneration', summary: 'Mark a generation for removal' },
    body: body({ dryRun: { ...truth('Only list the parts that would be removed.'), default: false } }),
    replies: { 200: { ...parts, properties: { ...(parts.properties as object), status: text('') } } },
  }),
  collect: apiRoute({
    ...{
      ...common,
      id: 'collectGenerations',
      summary: 'Remove the topics, state and views that only retired generations use',
    },
    body: body({ dryRun: { ...truth('Only list them.'), default: false } }),
    replies: { 200: object({ removed: list(parts), dryRun: truth('') }) },
  }),
}
const moveRoute = (move: (typeof moves)[number], summary: string) =>
  apiRoute({
    ...{ ...generation, id: `${move}Generation`, summary },
    replies: { 200: object({ generation: text(''), status: text('') }) },
  })
const moveRoutes = {
  pause: moveRoute('pause', 'Stop deriving a generation for now'),
  resume: moveRoute('resume', 'Continue a paused generation'),
  cancel: moveRoute('cancel', 'Stop deriving a generation; its data stays'),
}

type OfGeneration = { Params: { id: string } }

export function serveGenerations(app: FastifyInstance, { options: { generations: work }, read }: RouteParts): void {
  app.get('/v1/generations', routes.list, (_, reply) => read(reply, () => work.list()))
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
  app.post<{ Body: { tenant: string | null; anyway: boolean } }>(
    '/v1/generations/rollback',
    routes.rollBack,
    ({ body }, reply) => read(reply, () => work.rollBack(body.tenant, body.anyway ? 'roll back' : 'refuse')),
  )
  app.post<{ Body: { dryRun: boolean } }>('/v1/generations/collect', routes.collect, ({ body }, reply) =>
    read(reply, () => work.collect(body.dryRun ? 'list' : 'remove')),
  )
  app.get<OfGeneration>('/v1/generations/:id', routes.details, ({ params }, reply) =>
    read(reply, () => work.details(params.id)),
  )
  app.post<OfGeneration & { Body: { tenant: string | null } }>(
    '/v1/generations/:id/promote',
    routes.promote,
    ({ params, body }, reply) => read(reply, () => work.promote(params.id, body.tenant)),
  )
  app.post<OfGeneration & { Body: { dryRun: boolean } }>(
    '/v1/generations/:id/retire',
    routes.retire,
    ({ params, body }, reply) => read(reply, () => work.retire(params.id, body.dryRun ? 'list' : 'retire')),
  )
  for (const move of moves) {
    app.post<OfGeneration>(`/v1/generations/:id/${move}`, moveRoutes[move], ({ params }, reply) =>
      read(reply, () => work.move(params.id, move)),
    )
  }
}

/** A prompt is text in the body: a name reads no file of the server. */
function promptsIn({ prompts }: PromptTexts): (name: string) => string {
  return (name) => {
    const text = Object.hasOwn(prompts, name) ? prompts[name] : undefined
    if (text !== undefined) return text
    throw invalidInput('prompts', Object.keys(prompts), `the text of ${name}, which a setting names`)
  }
}
