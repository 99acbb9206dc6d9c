import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import avro from 'avsc'
import { Codec } from './codec.ts'
import type { Json } from './ids.ts'
import { inMemoryRegistry } from './in-memory-registry.ts'
import { type RecordSchema, records } from './records.ts'
import { incompatibilities, sampledFiles, sampleFileName, type Version, versionsOf } from './versions.ts'

/** The sample as the codec gives it. */
function revived(item: Json | undefined): unknown {
  if (item === null || typeof item !== 'object') return item
  if (Array.isArray(item)) return item.map(revived)
  const entries = Object.entries(item)
  if (entries.length === 1 && 'bytes' in item) return new Uint8Array(Buffer.from(String(item.bytes), 'base64'))
  return Object.fromEntries(entries.map(([key, part]) => [key, revived(part)]))
}

async function decodeSample(version: Version): Promise<object> {
  const codec = await Codec.open(inMemoryRegistry([version.text]))
  return codec.decode(Buffer.concat([Buffer.of(0, 0, 0, 0, 1), version.body]))
}

/** The sample's top-level fields that the record still has. */
function kept(version: Version, record: RecordSchema): object {
  const { fields } = JSON.parse(record.text) as { fields: readonly { name: string }[] }
  const value = revived(version.value) as object
  return Object.fromEntries(Object.entries(value).filter(([name]) => fields.some((field) => field.name === name)))
}

for (const record of records) {
  describe(record.name, () => {
    const versions = versionsOf(record.name)

    test('its current schema is committed', () => {
      assert.equal(versions.at(-1)?.text, record.text, 'the .avsc changed: write a new version with npm run sample')
    })

    test('is compatible with every earlier version', () => {
      assert.deepEqual(incompatibilities(record.text, versions, record.compatibility), [])
    })

    for (const version of versions) {
      test(`of version ${version.version} can be read`, async () => {
        const decoded = await decodeSample(version)
        assert.partialDeepStrictEqual(decoded, { type: record.name, ...kept(version, record) })
      })
    }

    test('is encoded as in its newest sample', () => {
      const newest = versions.at(-1)
      const type = avro.Type.forSchema(JSON.parse(record.text))
      const value = Object.entries(revived(newest?.value) as object).map(([name, item]) =>
        item instanceof Uint8Array ? [name, Buffer.from(item)] : [name, item],
      )
      assert.deepEqual(type.toBuffer(Object.fromEntries(value)), newest?.body)
    })
  })
}

test('every record that was ever sampled still has a schema', () => {
  assert.deepEqual(sampledFiles(), records.map((record) => sampleFileName(record.name)).sort())
})

describe('changes of a schema', () => {
  const before = [{ version: 1, text: schema([{ name: 'id', type: 'string' }]) }]

  test('a field with a default may be added anywhere', () => {
    const after = schema([{ name: 'id', type: 'string' }, nickname])
    assert.deepEqual(incompatibilities(after, before, 'FULL_TRANSITIVE'), [])
  })

  test('a field without a default may not be added', () => {
    const after = schema([
      { name: 'id', type: 'string' },
      { name: 'place', type: 'string' },
    ])
    assert.match(incompatibilities(after, before, 'BACKWARD_TRANSITIVE').join(), /new code cannot read v1/)
  })

  test('a field without a default may be removed from derived records, but not from source records', () => {
    const after = schema([nickname])
    assert.deepEqual(incompatibilities(after, before, 'BACKWARD_TRANSITIVE'), [])
    assert.match(incompatibilities(after, before, 'FULL_TRANSITIVE').join(), /code of v1 cannot read it/)
  })

  test('every version counts, not only the last one', () => {
    const versions = [...before, { version: 2, text: schema([nickname]) }]
    const after = schema([{ name: 'id', type: 'int', default: 0 }, nickname])
    const problems = incompatibilities(after, versions, 'BACKWARD_TRANSITIVE')
    assert.equal(problems.length, 1)
    assert.match(problems.join(), /v1/)
  })
})

const nickname = { name: 'nickname', type: ['null', 'string'], default: null }

function schema(fields: readonly object[]): string {
  return JSON.stringify({ type: 'record', namespace: 'loomlog', name: 'Sampled', fields })
}
