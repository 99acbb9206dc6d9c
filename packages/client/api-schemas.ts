/** The schemas of docs/openapi.json that clients name as types: bodies and replies of a space, and the components. */
import { readFileSync } from 'node:fs'
import type { JSONSchema } from 'json-schema-to-typescript'

export type Schema = JSONSchema & { readonly [keyword: string]: unknown }
interface Content {
  readonly content: { readonly [mediaType: string]: { readonly schema: Schema } }
}
interface Operation {
  readonly requestBody?: Content
  readonly responses: { readonly [status: string]: Content }
}
interface ApiDocument {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: {
    readonly schemas: { readonly [name: string]: Schema }
    readonly responses: { readonly [name: string]: Content }
  }
}

const { paths, components }: ApiDocument = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
)
const space = '/v1/spaces/{space}'
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const [utterance = {}, chatMessage = {}] = bodyOf(`${space}/utterances`).anyOf ?? []

export const types: { readonly [name: string]: Schema } = {
  Message: { anyOf: [reference('Utterance'), reference('ChatMessage')], description: 'A message in either form.' },
  Utterance: { ...utterance, description: 'A message in the form of loomlog.' },
  ChatMessage: chatMessage,
  AppendReply: replyOf('post', `${space}/utterances`, 201),
  EndReply: replyOf('post', `${space}/end`, 201),
  RecallBody: bodyOf(`${space}/recall`),
  RecallReply: replyOf('post', `${space}/recall`, 200),
  ContextBody: bodyOf(`${space}/context`),
  ContextReply: replyOf('post', `${space}/context`, 200),
  Correction: bodyOf(`${space}/corrections`),
  CorrectionReply: replyOf('post', `${space}/corrections`, 201),
  Retraction: bodyOf(`${space}/retractions`),
  RetractionReply: retractionReply(),
  Forgetting: bodyOf(`${space}/forgettings`),
  ForgettingReply: replyOf('post', `${space}/forgettings`, 202),
  ForgettingDetails: replyOf('get', `${space}/forgettings/{id}`, 200),
  Lineage: replyOf('get', `${space}/memories/{id}/why`, 200),
  Impact: replyOf('get', `${space}/memories/{id}/impact`, 200),
  MemoryPage: replyOf('get', `${space}/memories`, 200),
  DocumentReply: replyOf('get', `${space}/documents/{id}`, 200),
  ToolReply: replyOf('post', `${space}/tools/{name}`, 200),
  Problem: schemaOf(components.responses['Wrong'], 'application/problem+json'),
  ...components.schemas,
}

function bodyOf(path: string): Schema {
  return schemaOf(paths[path]?.['post']?.requestBody)
}

function replyOf(method: 'get' | 'post', path: string, status: number): Schema {
  return schemaOf(paths[path]?.[method]?.responses[status])
}

function schemaOf(content: Content | undefined, mediaType = 'application/json'): Schema {
  const schema = content?.content[mediaType]?.schema
  if (schema === undefined) throw new Error(`docs/openapi.json lacks a schema of ${mediaType}`)
  return schema
}

/** A dry run has no position. */
function retractionReply(): Schema {
  const schema = replyOf('post', `${space}/retractions`, 201)
  const always = replyOf('post', `${space}/retractions`, 200).required
  return { ...schema, ...(always !== undefined && { required: always }) }
}
