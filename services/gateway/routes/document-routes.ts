/** Routes of documents and profiles: a page of them, and one as JSON or Markdown, by `Accept`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf, spaceKeyOf } from '../request-address.ts'
import { documentText, profileIdOf } from './document-text.ts'
import { memoryPage } from './memory-rows.ts'
import { nextCursor, type PageRequest, pageParameters } from './page-cursor.ts'
import { readingFields } from './reading-fields.ts'
import type { MemoryParams, RouteParts, SpaceParams } from './route-parts.ts'
import { apiRoute, boolean, list, object, orNull, pathParameters, text } from './route-schema.ts'

const markdown = 'text/markdown'

const row = object(
  {
    id: text('The id of the document.'),
    title: text(''),
    entity: orNull(text('The person or thing of a profile.')),
    summary: text(''),
  },
  ['id', 'title', 'entity', 'summary'],
)
const whole = object({
  id: text('The id of the document.'),
  kind: text('`topic` or `profile`.'),
  title: text('The title.'),
  entity: orNull(text('The person or thing of a profile.')),
  summary: text('The summary.'),
  parts: list(
    object({
      heading: text(''),
      entries: list(
        object({
          id: text('The id of the entry.'),
          statement: text(''),
          sources: list(text('The id of an utterance.')),
        }),
      ),
    }),
  ),
  more: boolean('Whether there are further entries, beyond 2,000.'),
  text: text('The document as Markdown.'),
  ...readingFields,
})
const document = {
  description: 'The document.',
  content: { 'application/json': { schema: whole }, [markdown]: { schema: { type: 'string' } } },
}
const page = {
  query: pageParameters,
  replies: { 200: object({ memories: list(row), next: nextCursor, ...readingFields }) },
}
const common = { scope: 'recall', tag: 'memories' } as const
const about = 'With `Accept: text/markdown` the reply is Markdown.'

const routes = {
  documents: apiRoute({
    ...common,
    ...page,
    id: 'documents',
    summary: 'Documents and profiles',
    params: pathParameters('space'),
  }),
  profiles: apiRoute({
    ...common,
    ...page,
    id: 'profiles',
    summary: 'Profiles of persons and things',
    params: pathParameters('space'),
  }),
  document: apiRoute({
    ...common,
    about,
    id: 'document',
    summary: 'A document',
    params: pathParameters('space', 'id'),
    replies: { 200: document },
  }),
  profile: apiRoute({
    ...common,
    about,
    id: 'profile',
    summary: 'The profile of a person or thing',
    params: { ...pathParameters('space'), entity: text('The name of the person or thing.') },
    replies: { 200: document },
  }),
}

type Page = SpaceParams & { Querystring: PageRequest }

export function serveDocuments(app: FastifyInstance, { options, read }: RouteParts): void {
  for (const [path, kind] of [['documents', 'document'] as const, ['profiles', 'profile'] as const]) {
    app.get<Page>(`/v1/spaces/:space/${path}`, routes[path], (request, reply) =>
      read(reply, async () => {
        const { views, generation, epoch } = await options.reading(addressOf(request).tenant)
        const asked = { ...request.query, kind, state: 'current', order: 'oldest' } as const
        return { ...(await memoryPage(asked, spaceKeyOf(request), views)), generation, epoch }
      }),
    )
  }
  async function sendDocument(
    request: FastifyRequest<SpaceParams>,
    reply: FastifyReply,
    by: { id: string } | { entity: string },
  ) {
    const found = await read(reply, async () => {
      const { views, generation, epoch } = await options.reading(addressOf(request).tenant)
      const space = spaceKeyOf(request)
      const id = 'id' in by ? by.id : await profileIdOf(by.entity, space, views)
      return { ...(await documentText(id, space, views)), generation, epoch }
    })
    reply.header('vary', 'accept')
    if (!wantsMarkdown(request)) return reply.send(found)
    return reply.type(`${markdown}; charset=utf-8`).send(found.text)
  }
  app.get<MemoryParams>('/v1/spaces/:space/documents/:id', routes.document, (request, reply) =>
    sendDocument(request, reply, { id: request.params.id }),
  )
  app.get<SpaceParams & { Params: { entity: string } }>(
    '/v1/spaces/:space/profiles/:entity',
    routes.profile,
    (request, reply) => sendDocument(request, reply, { entity: request.params.entity }),
  )
}

/** Markdown is sent only if `Accept` names it, and before JSON. Weights (`q`) don't count. */
function wantsMarkdown({ headers }: FastifyRequest): boolean {
  const types = (headers.accept ?? '').split(',').map((type) => type.split(';')[0]?.trim())
  const [first] = types.filter((type) => type === markdown || type === 'application/json')
  return first === markdown
}
