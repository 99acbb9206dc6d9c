import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boxes, caughtUp, run, until, type World, world } from './fixture.ts'
import {
  countingStep,
  extractor,
  fact,
  factOfEach,
  heldModel,
  judgingStep,
  loom,
  pause,
  utterance,
} from './toy-processors.ts'
import { maxPendingWatermarks, Watermarks } from './watermarks.ts'

const facts = 'facts.d1'

async function marks(here: World, topic: string): Promise<readonly number[]> {
  return (await here.events(topic)).flatMap((event) => (event.type === 'WatermarkAdvanced' ? [event.offset] : []))
}

test('a watermark passes through the stages after the events that it covers', async (t) => {
  const here = await world(t)
  await run(here, loom(countingStep))
  await run(here, factOfEach)
  await here.append([utterance('1'), utterance('2'), utterance('3')])
  await until(async () => (await marks(here, facts)).at(-1) === 3, 'the watermark has passed')
  const types = (await here.events(facts)).map((event) => event.type)
  assert.equal(types.lastIndexOf('FactRecorded') < types.lastIndexOf('WatermarkAdvanced'), true)
  assert.equal(types.filter((type) => type === 'FactRecorded').length, 3)
})

test('a watermark is forwarded although no event was derived', async (t) => {
  const here = await world(t)
  await run(here, factOfEach)
  const first = await run(here, loom(countingStep))
  await here.append([pause('1')])
  await until(async () => (await marks(here, facts)).at(-1) === 1, 'the watermark has passed')
  await caughtUp(here, boxes)
  await first.close()
})

test('a watermark waits for the records before it, and arrives after a restart too', async (t) => {
  const here = await world(t)
  const upstream = await run(here, loom(countingStep))
  await here.append([utterance('slow', { space: 'slow' }), utterance('1')])
  await caughtUp(here)
  await upstream.close()
  await here.log.append(boxes, [{ key: null, partition: 0, value: Buffer.from('no Avro'), timestamp: 1 }])
  const held = heldModel()
  const asking = extractor(function* (event) {
    if (event.space === 'slow') yield* judgingStep({ ...utterance('x'), text: 'slow', seq: 0 })
    return [fact(event, event.topic)]
  })
  const first = await run(here, asking, { model: held.model })
  await until(async () => (await here.events('parked')).length === 1, 'the record behind the watermark is committed')
  assert.deepEqual(await marks(here, facts), [])
  await first.close()
  held.waiting.clear()
  await run(here, asking, { model: held.model })
  await until(() => held.waiting.has('slow'), 'the slow one asks again')
  held.letGo('slow')
  await caughtUp(here, boxes)
  assert.deepEqual(await marks(here, facts), [2])
  assert.equal((await here.events('parked')).length, 1)
})

test('a watermark is forwarded once the position is beyond it', () => {
  const watermarks = new Watermarks('derived')
  watermarks.note(5, { type: 'WatermarkAdvanced', derivation: 'd', offset: 10 })
  assert.deepEqual([watermarks.at(5), watermarks.at(6)], [null, 10])
})

test('a watermark never falls', () => {
  const watermarks = new Watermarks('source')
  assert.deepEqual([watermarks.at(5), watermarks.at(5), watermarks.at(4), watermarks.at(6)], [5, null, null, 6])
})

test('the pending watermarks of a stuck partition stay few, and the latest one counts', () => {
  const watermarks = new Watermarks('derived')
  const last = maxPendingWatermarks * 10
  for (let offset = 1; offset <= last; offset++) {
    watermarks.note(offset, { type: 'WatermarkAdvanced', derivation: 'd', offset: offset * 2 })
  }
  assert.ok(watermarks.pending <= maxPendingWatermarks)
  assert.ok((watermarks.at(last / 2) ?? 0) < last, 'none is passed on too early')
  assert.equal(watermarks.at(last + 1), last * 2)
  assert.equal(watermarks.pending, 0)
})
