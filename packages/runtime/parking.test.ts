import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxRecordBytes } from '@loomlog/log/port'
import type { InputParked } from '@loomlog/schemas/events'
import { caughtUp, run, topics, world } from './fixture.ts'
import { parkedRecord } from './parking.ts'
import { box, counted, judged, loom, noAnswer, outright, toyModel, utterance } from './toys.ts'

test('bytes that cannot be decoded are parked as they were, and passed', async (t) => {
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
  const running = await run(here, loom(counted))
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

test('an input without an answer is parked whole, and its step goes on', async (t) => {
  const here = await world(t)
  await here.append([utterance('1')])
  await run(here, loom(judged), { model: toyModel(() => noAnswer).model })
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0: none'])
  const [parked] = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual(
    [parked?.code, parked?.input, parked?.reason, parked?.attempts],
    ['unanswered', '1', 'it made no sense', 1],
  )
  assert.deepEqual(await here.codec.decode(parked?.value ?? new Uint8Array()), utterance('1'))
})

test('what is too large for a parked record is parked by name, and does not stop the stage', async (t) => {
  const here = await world(t)
  await here.log.append('utterances', [{ key: 't/s', value: Buffer.alloc(maxRecordBytes, 'x'), timestamp: 1 }])
  await here.append([utterance('1')])
  const running = await run(here, loom(counted))
  await caughtUp(here)
  assert.deepEqual(running.errors, [])
  const [parked] = (await here.events('parked')) as readonly InputParked[]
  assert.equal(parked?.value.length, 0)
  assert.match(parked?.reason ?? '', /1000000 bytes are too many to keep here, and stand at utterances\/0@0$/)
})

test('an output that no record can hold parks its input, and does not stop the stage', async (t) => {
  const here = await world(t)
  await here.append([utterance('1'), utterance('2')])
  const large = loom(
    outright((event) => {
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

test('the same input of two spaces has two ids, and the same parking one', async (t) => {
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
