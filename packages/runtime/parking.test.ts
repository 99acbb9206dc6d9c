import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxKeyBytes, maxRecordBytes } from '@loomlog/log/port'
import type { BoxSealed, Draft, InputParked, SpaceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { caughtUp, recordOf, run, topics, world } from './fixture.ts'
import { parkedRecord } from './parking.ts'
import type { SequencedEvent } from './processor.ts'
import { SpaceKeys } from './space-keys.ts'
import { get, keyedRecord, put, range, type Step } from './step.ts'
import { box, countingStep, judgingStep, loom, noAnswer, pureStep, toyModel, utterance } from './toy-processors.ts'

const hoarded = keyedRecord<string>('hoarded')
const howMany = keyedRecord<number>('how-many')

/** Keeps a record for each event. Its topic compares the stored count with the number of records. */
function* hoarding(event: SequencedEvent<SpaceEvent>): Step<Draft<BoxSealed>> {
  if (event.type !== 'UtteranceAppended') return []
  const count = ((yield* get(howMany, '')) ?? 0) + 1
  yield* put(howMany, '', count)
  yield* put(hoarded, event.id, event.id === 'large' ? 'ü'.repeat(maxRecordBytes / 2) : 'small')
  const kept = yield* range(hoarded, '', 9)
  return [box(event, `${count} of ${kept.length}`)]
}

test('bytes that cannot be decoded are parked unchanged, and skipped', async (t) => {
  const here = await world(t)
  const cut = here.codec.encode(utterance('cut')).slice(0, 20)
  const unknown = Buffer.from([0, 0, 0, 9, 99, 1, 2, 3])
  const garbage = [Buffer.from('no Avro'), new Uint8Array(), cut, unknown]
  await here.log.append(
    'utterances',
    garbage.map((value) => ({ key: 't/s', value, timestamp: 7 })),
  )
  await here.log.append('utterances', [{ key: null, partition: 0, value: Buffer.from('keyless'), timestamp: 7 }])
  await here.append([utterance('1')])
  const running = await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(running.errors, [])
  assert.deepEqual(await topics(here), ['s: c#0'])
  const parked = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual(
    parked.map(({ value }) => Buffer.from(value)),
    [...garbage, Buffer.from('keyless')].map((value) => Buffer.from(value)),
  )
  for (const [offset, { code, tenant, space, input, topic, at, ...rest }] of parked.entries()) {
    assert.deepEqual(
      { code, tenant, space, input, topic, at },
      { code: 'undecodable', tenant: null, space: null, input: null, topic: 'utterances', at: 7 },
    )
    assert.equal(rest.offset, offset)
  }
})

test('an input without an answer is parked whole, and its step continues', async (t) => {
  const here = await world(t)
  await here.append([utterance('1')])
  await run(here, loom(judgingStep), { model: toyModel(() => noAnswer).model })
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0: none'])
  const [parked] = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual(
    [parked?.code, parked?.input, parked?.reason, parked?.attempts],
    ['unanswered', '1', 'it made no sense', 1],
  )
  assert.deepEqual(await here.codec.decode(parked?.value ?? new Uint8Array()), utterance('1'))
})

test('a record too large to park is parked by its offset, and does not stop the stage', async (t) => {
  const here = await world(t)
  await here.log.append('utterances', [{ key: 't/s', value: Buffer.alloc(maxRecordBytes, 'x'), timestamp: 1 }])
  await here.append([utterance('1')])
  const running = await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(running.errors, [])
  const [parked] = (await here.events('parked')) as readonly InputParked[]
  assert.equal(parked?.value.length, 0)
  assert.match(parked?.reason ?? '', /1000000 bytes are too many to keep here; they are at utterances\/0@0$/)
})

test('an output too large for a record parks its input, and does not stop the stage', async (t) => {
  const here = await world(t)
  await here.append([utterance('1'), utterance('2')])
  const large = loom(
    pureStep((event) => {
      if (event.type !== 'UtteranceAppended') return []
      return [box(event, event.id === '1' ? 'x'.repeat(maxRecordBytes) : 'small')]
    }),
  )
  const running = await run(here, large)
  await caughtUp(here)
  assert.deepEqual(running.errors, [])
  assert.deepEqual(await topics(here), ['s: small'])
  const [parked] = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual([parked?.code, parked?.input], ['invalid', '1'])
})

test('a state record above the limit parks its input without any other effect, and its lane continues', async (t) => {
  const here = await world(t)
  await here.append(['1', '2', 'large', '3'].map((id) => utterance(id)))
  const running = await run(here, loom(hoarding))
  await caughtUp(here)
  assert.deepEqual(running.errors, [])
  assert.deepEqual(await topics(here), ['s: 1 of 1', 's: 2 of 2', 's: 3 of 3'])
  const [parked] = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual([parked?.code, parked?.input], ['invalid', 'large'])
  assert.match(parked?.reason ?? '', /^it makes a state record of \d{7} bytes; the limit is 1000000$/)
  assert.deepEqual(await here.codec.decode(parked?.value ?? new Uint8Array()), utterance('large'))
  await running.close()
  await here.append([utterance('4')])
  await run(here, loom(hoarding))
  await caughtUp(here)
  assert.equal((await topics(here)).at(-1), 's: 4 of 4', 'as it is committed, too')
})

test('names too long to fit beside the bytes are left out of the parked record', async (t) => {
  const here = await world(t)
  const long = 'x'.repeat(600_000)
  const of = (event: UtteranceAppended, key: string) => ({ key, value: here.codec.encode(event), timestamp: 1 })
  await here.log.append('utterances', [
    of(utterance(long, { text: 'a' }), 't/s'),
    of(utterance('1', { tenant: long }), 't/s'),
  ])
  await here.append([utterance('2')])
  const running = await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(running.errors, [])
  assert.deepEqual(await topics(here), ['s: c#0'])
  const parked = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual(
    parked.map(({ input, tenant, value }) => [input, tenant, value.length]),
    [
      [null, null, 0],
      [null, null, 0],
    ],
  )
  assert.match(parked[0]?.reason ?? '', /^its id has 600000 characters; 4096 are the most; .* are at utterances\/0@0$/)
})

test('a record with an overlong key is parked in its own partition', async (t) => {
  const here = await world(t)
  const [record] = [{ ...recordOf(here.codec, utterance('1')), key: `t/${'s'.repeat(maxKeyBytes)}` }]
  const there = { topic: 'utterances', partition: 0, offset: 0 }
  const parked = parkedRecord({
    stage: { processor: { stage: 'topic-loom' }, derivation: 'd', codec: here.codec },
    record: { ...record, ...there },
    event: utterance('1'),
    code: 'invalid',
    reason: 'r',
    attempts: 1,
  })
  assert.deepEqual([parked.record.key, parked.record.partition], [null, 0])
  assert.match(new SpaceKeys(record.key).wrong ?? '', /^its key has 32770 bytes; 32768 are the most$/)
  assert.ok(new SpaceKeys(record.key).placeKey.length < 100)
})

test('the parked id is the same for the same input and attempt, and differs between spaces and attempts', async (t) => {
  const here = await world(t)
  const id = async (space: string, attempts: number) => {
    const event = utterance('1', { space })
    const record = { topic: 'x', partition: 0, offset: 0, key: `t/${space}`, value: new Uint8Array(1), timestamp: 1 }
    const stage = { processor: { stage: 'topic-loom' }, derivation: 'd', codec: here.codec }
    const output = parkedRecord({ stage, record, event, code: 'unanswered', reason: 'r', attempts })
    return ((await here.codec.decode(output.record.value)) as InputParked).id
  }
  assert.equal(await id('x', 1), await id('x', 1))
  assert.equal(new Set([await id('x', 1), await id('y', 1), await id('x', 2)]).size, 3)
})
