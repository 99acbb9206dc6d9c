import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import avro from 'avsc'
import { arbitraryEvent, seededInt } from './arbitrary.ts'
import { Codec } from './codec.ts'
import type { DerivedRecord, UtteranceAppended } from './events.ts'
import { inMemoryRegistry } from './in-memory-registry.ts'
import { type RecordSchema, records } from './records.ts'

const seed = Number(process.env.LOOMLOG_SEED ?? Math.floor(performance.now() * 1000) % 2 ** 31)

const utterance: UtteranceAppended = {
  type: 'UtteranceAppended',
  id: 'u1',
  tenant: 'acme',
  space: 'ada',
  conversation: 'c1',
  speaker: 'Ada',
  role: 'human',
  at: 1_683_450_000_000,
  appendedAt: 1_683_450_000_005,
  text: 'I adopted a cat, Miso.',
  attachments: [{ kind: 'image', description: 'a grey cat', uri: null }],
  metadata: { channel: 'chat' },
  isTimeGiven: true,
  canInstruct: true,
  keyId: null,
  principal: null,
}

function recordOf(name: string): RecordSchema {
  const found = records.find((record) => record.name === name)
  if (!found) throw new Error(`no record ${name}`)
  return found
}

function value(id: number, body: Uint8Array): Uint8Array {
  const header = Buffer.alloc(5)
  header.writeInt32BE(id, 1)
  return Buffer.concat([header, body])
}

describe(`events through the codec (LOOMLOG_SEED=${seed})`, () => {
  for (const record of records) {
    test(`any ${record.name} comes back as it went in, as a plain object`, async () => {
      const codec = await Codec.open(inMemoryRegistry())
      const chance = seededInt(seed)
      for (let round = 0; round < 100; round += 1) {
        const event = arbitraryEvent(record, chance)
        const decoded = await codec.decode(codec.encode(event))
        assert.deepStrictEqual(decoded, event)
        assertPlain(decoded)
      }
    })
  }

  test('damaged bytes are decoded or refused as input-invalid, and never anything else', async () => {
    const codec = await Codec.open(inMemoryRegistry())
    const chance = seededInt(seed)
    for (const record of records) {
      for (let round = 0; round < 60; round += 1) {
        const bytes = Buffer.from(codec.encode(arbitraryEvent(record, chance)))
        for (let hit = 0; hit <= chance(3); hit += 1) bytes[5 + chance(bytes.length - 5)] = chance(256)
        await codec.decode(bytes).catch((error) => assert.ok(isLoomlogError(error, 'input-invalid'), String(error)))
      }
    }
  })

  test('a record cut short anywhere is refused as input-invalid', async () => {
    const codec = await Codec.open(inMemoryRegistry())
    const bytes = codec.encode(utterance)
    for (let length = 0; length < bytes.length; length += 1) {
      await assert.rejects(codec.decode(bytes.subarray(0, length)), (error) => isLoomlogError(error, 'input-invalid'))
    }
  })
})

function assertPlain(item: unknown): void {
  if (item === null || typeof item !== 'object') return
  const prototype = Object.getPrototypeOf(item)
  assert.ok([Object.prototype, Array.prototype, Uint8Array.prototype].includes(prototype), 'it has a class of its own')
  for (const part of Object.values(item)) if (!(item instanceof Uint8Array)) assertPlain(part)
}

test('a resolver is compiled once for each writer id, also for concurrent records', async (t) => {
  const old = JSON.parse(recordOf('UtteranceAppended').text) as { fields: { name: string }[] }
  const withoutMetadata = { ...old, fields: old.fields.filter(({ name }) => name !== 'metadata') }
  const registry = inMemoryRegistry([JSON.stringify(withoutMetadata)])
  const lookups = t.mock.method(registry, 'schema')
  const codec = await Codec.open(registry)
  const now = codec.encode(utterance)
  const before = value(
    1,
    avro.Type.forSchema(withoutMetadata as avro.Schema).toBuffer({ ...utterance, metadata: undefined }),
  )
  const compiled = t.mock.method(avro.Type.prototype, 'createResolver')
  const rounds = Array.from({ length: 200 }, () => [now, before]).flat()
  await Promise.all(rounds.map((bytes) => codec.decode(bytes)))
  for (const bytes of rounds) assert.equal((await codec.decode(bytes)).type, 'UtteranceAppended')
  const ofRecords = compiled.mock.calls.filter((call) => (call.this as avro.Type).name === 'loomlog.UtteranceAppended')
  assert.equal(ofRecords.length, 2)
  assert.equal(lookups.mock.callCount(), 2)
})

test('the registered schema is the .avsc file itself, under the full name of its record', async (t) => {
  const registry = inMemoryRegistry()
  const registered = t.mock.method(registry, 'register')
  await Codec.open(registry)
  const given = registered.mock.calls.map((call) => call.arguments)
  assert.deepEqual(
    given,
    records.map(({ fullName, text, compatibility }) => [fullName, text, compatibility]),
  )
  const [, text] = given.find(([subject]) => subject === 'loomlog.UtteranceAppended') ?? []
  assert.match(text ?? '', /"confluent:tags": ?\["PII"\]/)
})

test('a number that JavaScript cannot hold is refused as input-invalid, not rounded', async () => {
  const codec = await Codec.open(inMemoryRegistry())
  const id = records.findIndex(({ name }) => name === 'WatermarkAdvanced') + 1
  const upTo = (offset: readonly number[]) => codec.decode(value(id, Buffer.from([2, 0x64, ...offset])))
  assert.deepEqual(await upTo([8]), { type: 'WatermarkAdvanced', derivation: 'd', offset: 4 })
  const twoTo60 = [...Array(8).fill(0x80), 0x20]
  await assert.rejects(upTo(twoTo60), (error) => isLoomlogError(error, 'input-invalid'))
})

test('a value is a zero, the schema id in four bytes, and the Avro body', async () => {
  const registry = inMemoryRegistry()
  const codec = await Codec.open(registry)
  const bytes = Buffer.from(codec.encode(utterance))
  const { fullName, text, compatibility } = recordOf('UtteranceAppended')
  assert.equal(bytes.readUInt8(0), 0)
  assert.equal(bytes.readInt32BE(1), await registry.register(fullName, text, compatibility))
  const body = avro.Type.forSchema(JSON.parse(text)).toBuffer({ ...utterance })
  assert.deepEqual(bytes.subarray(5), body)
})

test('a log’s reason for an unreadable record becomes the error', async () => {
  const codec = await Codec.open(inMemoryRegistry())
  const value = Buffer.concat([Buffer.of(0xff), Buffer.from('in/0, offsets 2 to 3: the checksum differs')])
  await assert.rejects(codec.decode(value), { message: 'in/0, offsets 2 to 3: the checksum differs' })
})

test('bytes in another format are refused as input-invalid', async () => {
  const codec = await Codec.open(inMemoryRegistry())
  for (const bytes of [Buffer.of(), Buffer.of(0, 0, 0), Buffer.from('{"type":"UtteranceAppended"}')]) {
    await assert.rejects(codec.decode(bytes), (error) => isLoomlogError(error, 'input-invalid'))
  }
})

test('each of several values is decoded alone: an undecodable one gives its error, in its place', async () => {
  const codec = await Codec.open(inMemoryRegistry())
  const good = codec.encode(utterance)
  const decoded = await codec.decodeEach([good, Buffer.from('no Avro'), value(4711, Buffer.of(0)), good])
  const outcomes = decoded.map((each) => ('code' in each ? each.code : each.type))
  assert.deepEqual(outcomes, ['UtteranceAppended', 'input-invalid', 'schema-unknown', 'UtteranceAppended'])
  assert.deepEqual(decoded[3], utterance)
})

test('a schema id that the registry does not know is schema-unknown, which may pass', async () => {
  const codec = await Codec.open(inMemoryRegistry())
  await assert.rejects(
    codec.decode(value(4711, Buffer.of(0))),
    (error) => isLoomlogError(error, 'schema-unknown') && error.retryable,
  )
})

test('a record of another application is refused as input-invalid', async () => {
  const other = '{"type":"record","namespace":"acme","name":"Invoice","fields":[]}'
  const codec = await Codec.open(inMemoryRegistry([other]))
  await assert.rejects(codec.decode(value(1, Buffer.of())), (error) => isLoomlogError(error, 'input-invalid'))
})

test('a body followed by more bytes is refused as input-invalid', async () => {
  const codec = await Codec.open(inMemoryRegistry())
  const bytes = Buffer.concat([codec.encode(utterance), Buffer.of(0)])
  await assert.rejects(codec.decode(bytes), (error) => isLoomlogError(error, 'input-invalid'))
})

test('a body that claims a billion attachments is refused at once', async () => {
  const codec = await Codec.open(inMemoryRegistry())
  const whole = Buffer.from(codec.encode({ ...utterance, attachments: [], metadata: {} }))
  const billion = Buffer.of(0x80, 0xa8, 0xd6, 0xb9, 0x07)
  await assert.rejects(codec.decode(Buffer.concat([whole.subarray(0, -3), billion])), (error) =>
    isLoomlogError(error, 'input-invalid'),
  )
})

test("an extension's record is decoded as it is, and is none of loomlog's own", async () => {
  const text = '{"type":"record","namespace":"acme","name":"Invoiced","fields":[{"name":"id","type":"string"}]}'
  const invoiced: RecordSchema = {
    name: 'Invoiced',
    fullName: 'acme.Invoiced',
    kind: 'derived',
    text,
    compatibility: 'BACKWARD_TRANSITIVE',
  }
  const codec = await Codec.open(inMemoryRegistry(), [...records, invoiced])
  const bytes = codec.encode({ type: 'Invoiced', id: 'i1' } as DerivedRecord)
  assert.equal((await codec.decode(bytes)).type, 'Invoiced')
  assert.equal(await codec.decodeOwn(bytes), null)
  assert.equal((await codec.decodeOwn(codec.encode(utterance)))?.type, 'UtteranceAppended')
})

test('an encrypted record is refused as input-invalid', async () => {
  const registry = inMemoryRegistry()
  const codec = await Codec.open(registry)
  const type = avro.Type.forSchema(JSON.parse(recordOf('UtteranceAppended').text))
  const id = Buffer.from(codec.encode(utterance)).readInt32BE(1)
  const bytes = value(id, type.toBuffer({ ...utterance, keyId: 'k1' }))
  await assert.rejects(
    codec.decode(bytes),
    (error) => isLoomlogError(error, 'input-invalid') && /k1/.test(error.message),
  )
})

test('a record that names a key is never written as plain text', async () => {
  const codec = await Codec.open(inMemoryRegistry())
  assert.throws(() => codec.encode({ ...utterance, keyId: 'k1' }), /names a key/)
})
