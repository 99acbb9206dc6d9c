/**
 * Writes api.ts, the types of the public client, from docs/openapi.json: `node packages/client/generate-types.ts`. With
 * `--check` it writes nothing, and exits with 1 if the file is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { compile, type JSONSchema } from 'json-schema-to-typescript'

type Schema = JSONSchema & { readonly [keyword: string]: unknown }
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
const file = new URL('api.ts', import.meta.url)
const space = '/v1/spaces/{space}'
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const [utterance = {}, chatMessage = {}] = bodyOf(`${space}/utterances`).anyOf ?? []

const types: { readonly [name: string]: Schema } = {
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
  Lineage: replyOf('get', `${space}/memories/{id}/why`, 200),
  Impact: replyOf('get', `${space}/memories/{id}/impact`, 200),
  MemoryPage: replyOf('get', `${space}/memories`, 200),
  DocumentReply: replyOf('get', `${space}/documents/{id}`, 200),
  ToolReply: replyOf('post', `${space}/tools/{name}`, 200),
  Problem: schemaOf(components.responses['Wrong'], 'application/problem+json'),
  ...components.schemas,
}

const source = await typesText()
if (!process.argv.includes('--check')) writeFileSync(file, source)
else if (readFileSync(file, 'utf8') !== source) {
  console.error('packages/client/api.ts is not current: run npm run generate')
  process.exitCode = 1
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

async function typesText(): Promise<string> {
  const definitions = Object.fromEntries(Object.entries(types).map(([name, schema]) => [name, typed(schema, null)]))
  const text = await compile({ definitions } as JSONSchema, 'Unused', {
    additionalProperties: false,
    bannerComment: '/** The types of the HTTP API, generated from docs/openapi.json by generate-types.ts. */',
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
    style: { printWidth: 120, semi: false, singleQuote: true },
  })
  const lines = withReadonlyLists(text.split('\n'))
  return lines
    .join('\n')
    .replace(/ \*\n +\* This interface was referenced by [^\n]+\n +\* via the `definition` [^\n]+\n/g, '')
    .replace(/\/\*\*\n \* This interface was referenced by [^\n]+\n +\* via the `definition` [^\n]+\n \*\/\n/g, '')
    .replace(/\n *\* @(?:max|min)Items \d+(?=\n)/g, '')
    .replace(/\n *\/\*\*\n *\*\//g, '')
    .replace(/^( *)\/\*\*\n *\* ([^\n]*)\n *\*\//gm, '$1/** $2 */')
    .replace(/export (interface|type) Unused\b[^\n]*\n(\s*\[k: string\]: unknown\n)?\}?\n?/, '')
    .replace(/^( +)([\w$]+\??:(?= |$)|\[k: string\]: )/gm, '$1readonly $2')
    .replace(/(: |\| |= )((?:\w+|\([^()\n]+\)|\{)\[\])/g, '$1readonly $2')
}

/** A list of objects ends with `}[]`; the object begins on the last line above with the same indent. */
function withReadonlyLists(lines: readonly string[]): readonly string[] {
  const changed = [...lines]
  for (const [at, line] of lines.entries()) {
    const [, indent] = /^( *)\}\[\]/.exec(line) ?? []
    if (indent === undefined) continue
    const start = lines.findLastIndex(
      (each, index) => index < at && each.startsWith(indent) && each[indent.length] !== ' ' && each.endsWith('{'),
    )
    changed[start] = String(changed[start]).replace(/\{$/, 'readonly {')
  }
  return changed
}

/** The schema in the words of the compiler. Properties have no names of their own, and so no types of their own. */
function typed(schema: unknown, parent: string | null): unknown {
  if (Array.isArray(schema)) return schema.map((each) => typed(each, null))
  if (typeof schema === 'string' && parent === '$ref') return schema.replace('#/components/schemas/', '#/definitions/')
  if (schema === null || typeof schema !== 'object') return schema
  const { discriminator, format, ...kept } = schema as { readonly [keyword: string]: unknown }
  return Object.fromEntries(Object.entries(kept).map(([name, each]) => [name, typed(each, name)]))
}
