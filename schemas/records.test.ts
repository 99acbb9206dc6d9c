import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import test, { describe } from 'node:test'
import { promisify } from 'node:util'
import { type RecordSchema, records } from './records.ts'

/** Fields that hold people's words in every record. */
const personal = new Set([
  ...[
    'text',
    'speaker',
    'speakers',
    'by',
    'subject',
    'relation',
    'object',
    'topic',
    'keywords',
    'title',
    'summary',
    'heading',
    'askedAs',
    'principal',
    'word',
    'missing',
  ],
  ...[
    'entity',
    'entities',
    'persons',
    'location',
    'description',
    'uri',
    'metadata',
    'comment',
    'query',
    'reason',
    'answer',
  ],
  ...['vector', 'none', 'value', 'others'],
])

/** Fields of such a name without people's words: an entry's id, an enum, the name of a topic in the log. */
const impersonal = new Set(['EntryRetired.by', 'EntryRetired.reason', 'InputParked.topic'])

interface Node {
  readonly type: unknown
  readonly name?: string
  readonly doc?: string
  readonly symbols?: readonly string[]
  readonly fields?: readonly Node[]
  readonly items?: unknown
  readonly values?: unknown
  readonly 'confluent:tags'?: readonly string[]
}

interface Field extends Node {
  /** EventTime.text: the record and the field. */
  readonly path: string
}

/** Every named type in a schema, including nested ones. */
function namedTypes(node: unknown): readonly Node[] {
  if (Array.isArray(node)) return node.flatMap(namedTypes)
  if (node === null || typeof node !== 'object') return []
  const type = node as Node
  const inside = [type.items, type.values, ...(type.fields ?? []).map((field) => field.type)]
  if (typeof type.type === 'object') inside.push(type.type)
  return [...(type.fields || type.symbols ? [type] : []), ...inside.flatMap(namedTypes)]
}

function typesOf(record: RecordSchema): readonly Node[] {
  return namedTypes(JSON.parse(record.text))
}

function fieldsOf(record: RecordSchema): readonly Field[] {
  return typesOf(record).flatMap((type) =>
    (type.fields ?? []).map((field) => ({ ...field, path: `${type.name}.${field.name}` })),
  )
}

const isTagged = (field: Field) => field['confluent:tags']?.includes('PII') ?? false

for (const record of records) {
  describe(record.name, () => {
    test('tags every field with people’s words', () => {
      const untagged = fieldsOf(record).filter(
        (field) => personal.has(field.name ?? '') && !impersonal.has(field.path) && !isTagged(field),
      )
      assert.deepEqual(
        untagged.map((field) => field.path),
        [],
        'add "confluent:tags": ["PII"], or list the field in this test with its content',
      )
    })

    test('tags only fields that this test lists as personal', () => {
      const surprising = fieldsOf(record).filter((field) => isTagged(field) && !personal.has(field.name ?? ''))
      assert.deepEqual(
        surprising.map((field) => field.path),
        [],
        'add the name to the list in this test, so that it is tagged in every record',
      )
    })

    test('has a keyId exactly if it has tagged fields', () => {
      const fields = fieldsOf(record)
      const keyId = fields.find((field) => field.path === `${record.name}.keyId`)
      assert.equal(keyId !== undefined, fields.some(isTagged))
      if (keyId) assert.deepEqual(keyId.type, ['null', 'string'])
    })

    test('documents itself, its parts and their fields', () => {
      const silent = [...typesOf(record), ...fieldsOf(record)].filter(
        (node) => !node.doc?.endsWith('.') && !node.doc?.endsWith('…'),
      )
      assert.deepEqual(
        silent.map((node) => node.name),
        [],
      )
    })
  })
}

test('a type that several records hold is the same in all of them', () => {
  const seen = new Map<string, string>()
  for (const type of records.flatMap(typesOf)) {
    const text = JSON.stringify(type)
    assert.equal(seen.get(type.name ?? '') ?? text, text, `${type.name} differs between .avsc files`)
    seen.set(type.name ?? '', text)
  }
})

test('a union is null and one other type: avsc can’t distinguish two numbers or two records', () => {
  const unions = records.flatMap(({ text }) => unionsIn(JSON.parse(text)))
  assert.ok(unions.length > 20)
  for (const { name, text } of records) {
    for (const union of unionsIn(JSON.parse(text))) {
      assert.ok(union.length === 2 && union[0] === 'null', `${name}: ${JSON.stringify(union)}`)
    }
  }
})

test('an enum in a source record has a default, which old code reads for a new symbol', () => {
  const enums = records
    .filter((record) => record.kind === 'source')
    .flatMap(typesOf)
    .filter((type) => type.symbols)
  assert.deepEqual(
    enums.filter((type) => !('default' in type)).map((type) => type.name),
    [],
  )
})

test('the generated types are those of the .avsc files', async () => {
  const script = new URL('./generate.ts', import.meta.url).pathname
  await promisify(execFile)(process.execPath, [script, '--check'])
})

function unionsIn(part: unknown): unknown[][] {
  if (part === null || typeof part !== 'object') return []
  const { type, items, values, fields } = part as { [key: string]: unknown }
  const types = [type, items, values].flatMap((each) => (Array.isArray(each) ? [each, ...each] : [each]))
  const here = types.filter((each) => Array.isArray(each)) as unknown[][]
  return [
    ...here,
    ...[...types, ...((fields as unknown[]) ?? [])].flatMap((each) => (Array.isArray(each) ? [] : unionsIn(each))),
  ]
}
