/**
 * The CloudEvents of the feed as JSON schemas, by the record that they carry, and source events. They are made from the
 * records' Avro schemas and the types in `cloud-events.ts`, so they fit every published record.
 */
import { type CloudEventType, envelopeFields, typesByRecord } from './cloud-events.ts'
import type { PublishedEvent, SourceEvent } from './events.ts'
import { records } from './records.ts'

type JsonSchema = { readonly [keyword: string]: unknown }

interface AvroField {
  readonly name: string
  readonly type: Avro
  readonly doc?: string
}
interface AvroNode {
  readonly type: Avro
  readonly name?: string
  readonly items?: Avro
  readonly symbols?: readonly string[]
  readonly fields?: readonly AvroField[]
}
type Avro = string | readonly Avro[] | AvroNode

export interface CloudEventSchema {
  readonly record: PublishedEvent['type']
  readonly types: readonly CloudEventType[]
  readonly schema: JsonSchema
}

export function cloudEventSchemas(): readonly CloudEventSchema[] {
  const published = records.filter(({ kind }) => kind === 'published')
  return published.map(({ name, text }) => {
    const record = name as PublishedEvent['type']
    const { doc, fields } = JSON.parse(text) as { readonly doc: string; readonly fields: readonly AvroField[] }
    const types = typesByRecord[record]
    return { record, types, schema: { ...eventSchema(types, fields), description: doc } }
  })
}

function eventSchema(types: readonly CloudEventType[], fields: readonly AvroField[]): JsonSchema {
  const has = (name: string) => fields.some((field) => field.name === name)
  const text = { type: 'string' }
  const required: { readonly [name: string]: JsonSchema } = {
    specversion: { type: 'string', enum: ['1.0'] },
    id: { ...text, description: 'Never published again with another meaning.' },
    source: { ...text, description: 'The space: `/tenants/TENANT/spaces/SPACE`.' },
    type: { type: 'string', enum: types },
    time: { type: 'string', format: 'date-time', description: 'Log time of the source event behind it.' },
    tenant: text,
    space: text,
    generation: text,
    ...((has('memory') || has('correction')) && {
      subject: { ...text, description: 'The id of the memory or correction.' },
    }),
    ...(has('change') && { change: { type: 'string', enum: ['inserted', 'retracted'] } }),
    datacontenttype: { type: 'string', enum: ['application/json'] },
    data: recordSchema(
      fields.filter(({ name }) => !envelopeFields.has(name)),
      new Map(),
    ),
  }
  const traceparent = { ...text, description: 'Only if the event is traced.' }
  return { type: 'object', properties: { ...required, traceparent }, required: Object.keys(required) }
}

/** A source event as it is in a reply. */
export function sourceEventSchema(record: SourceEvent['type']): JsonSchema {
  const { text = '{}' } = records.find(({ name }) => name === record) ?? {}
  const { doc, fields } = JSON.parse(text) as { readonly doc: string; readonly fields: readonly AvroField[] }
  const { properties, required, ...rest } = recordSchema(fields, new Map()) as {
    readonly properties: object
    readonly required: readonly string[]
  }
  const type = { type: 'string', enum: [record] }
  return { ...rest, properties: { type, ...properties }, required: ['type', ...required], description: doc }
}

type SchemasByName = Map<string, JsonSchema>

function recordSchema(fields: readonly AvroField[], named: SchemasByName): JsonSchema {
  const properties = Object.fromEntries(
    fields.map(({ name, type, doc }) => [name, { ...schemaOf(type, named), ...(doc && { description: doc }) }]),
  )
  return { type: 'object', properties, required: Object.keys(properties) }
}

const primitives: { readonly [avro: string]: JsonSchema } = {
  string: { type: 'string' },
  int: { type: 'integer' },
  long: { type: 'integer' },
  double: { type: 'number' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
}

/** @param named the named types so far */
function schemaOf(avro: Avro, named: SchemasByName): JsonSchema {
  if (typeof avro === 'string') {
    const known = primitives[avro] ?? named.get(avro)
    if (known === undefined) throw new Error(`a published record holds ${avro}, which has no JSON schema`)
    return known
  }
  if (Array.isArray(avro)) return { anyOf: avro.map((each) => schemaOf(each, named)).reverse() }
  const { type, name = '', items = 'null', symbols = [], fields = [] } = avro as AvroNode
  if (type === 'array') return { type: 'array', items: schemaOf(items, named) }
  if (type !== 'enum' && type !== 'record') return schemaOf(type, named)
  const schema = type === 'enum' ? { type: 'string', enum: symbols } : recordSchema(fields, named)
  named.set(name, schema)
  return schema
}
