import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BoxSealed, InputParked } from '@loomlog/schemas/events'
import { boxes, caughtUp, recordOf, run, topics, world } from './fixture.ts'
import { box, countingStep, factOfEach, loom, pause, utterance } from './toy-processors.ts'

const placed = async (events: Promise<readonly unknown[]>) =>
  ((await events) as readonly BoxSealed[])
    .filter((event) => event.type === 'BoxSealed')
    .map((event) => [event.seq, event.utterances[0]?.id])

const parkedIn = async (events: Promise<readonly unknown[]>) =>
  ((await events) as readonly InputParked[]).map(({ code, input, reason }) => [code, input, reason])

test('duplicates are dropped, and leave no gap in the seq of the space', async (t) => {
  const here = await world(t)
  await here.append([
    utterance('1'),
    utterance('1', { appendedAt: 9 }),
    utterance('2'),
    utterance('1'),
    pause('p'),
    utterance('3'),
  ])
  await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(await placed(here.events(boxes)), [
    [0, '1'],
    [1, '2'],
    [3, '3'],
  ])
  assert.deepEqual(await topics(here), ['s: c#0', 's: c#1', 's: c#2'])
  assert.deepEqual(await here.events('parked'), [])
})

test('after a restart duplicates are still dropped, and seq continues', async (t) => {
  const here = await world(t)
  await here.append([utterance('1'), utterance('2')])
  const first = await run(here, loom(countingStep))
  await caughtUp(here)
  await first.close()
  await here.append([utterance('2'), utterance('3'), utterance('1', { text: 'another' })])
  await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(await placed(here.events(boxes)), [
    [0, '1'],
    [1, '2'],
    [2, '3'],
  ])
  assert.equal((await here.events('parked')).length, 1)
})

test('the same id with other content is parked and skipped, and each content is kept', async (t) => {
  const here = await world(t)
  const others = ['second', 'third'].map((text) => utterance('1', { text }))
  await here.append([utterance('1'), ...others, utterance('2')])
  await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(await placed(here.events(boxes)), [
    [0, '1'],
    [1, '2'],
  ])
  const parked = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual(await Promise.all(parked.map(({ value }) => here.codec.decode(value))), others)
  assert.equal(new Set(parked.map(({ id }) => id)).size, 2)
})

test('the same id in another space is another event', async (t) => {
  const here = await world(t)
  await here.append([utterance('1', { space: 'x' }), utterance('1', { space: 'y', text: 'another' })])
  await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['x: c#0', 'y: c#0'])
})

test('event types without a handler are parked, and take no seq', async (t) => {
  const here = await world(t)
  const feedback = { recall: 'r', rating: 1, comment: null, by: 'Ada', at: 1, appendedAt: 1, keyId: null }
  await here.append([{ type: 'FeedbackGiven', id: 'f', tenant: 't', space: 's', ...feedback }, utterance('1')])
  await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(await placed(here.events(boxes)), [[0, '1']])
  assert.deepEqual(await parkedIn(here.events('parked')), [['invalid', 'f', 'nothing handles FeedbackGiven yet']])
})

test('an event under the key of another space, or without a key, is parked in every stage', async (t) => {
  const here = await world(t)
  const foreign = here.codec.encode(utterance('1', { tenant: 'victim' }))
  await here.log.append('utterances', [
    { key: 't/s', value: foreign, timestamp: 1 },
    { key: null, partition: 0, value: foreign, timestamp: 1 },
    { key: 't/a\u001fb', value: here.codec.encode(utterance('2', { space: 'a\u001fb' })), timestamp: 1 },
  ])
  await here.append([utterance('3')])
  const first = await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0'])
  const reasons = (await parkedIn(here.events('parked'))).map(([code, , reason]) => [code, String(reason).slice(0, 12)])
  assert.deepEqual(reasons, [
    ['invalid', 'its key is t'],
    ['invalid', 'its key is n'],
    ['invalid', 'its key hold'],
  ])
  await first.close()
  const [sealed] = (await here.events(boxes)).filter((event) => event.type === 'BoxSealed')
  await here.log.append(boxes, [{ ...recordOf(here.codec, sealed as BoxSealed), key: 't/other' }])
  await run(here, factOfEach)
  await caughtUp(here, boxes)
  assert.equal((await here.events('facts.d1')).filter((event) => event.type === 'FactRecorded').length, 1)
  assert.match(String((await parkedIn(here.events('parked'))).at(-1)?.[2]), /^its key is t\/other/)
})

test('a record of a type that does not belong in its topic is parked and skipped', async (t) => {
  const here = await world(t)
  const sealed = { ...box({ ...utterance('1'), seq: 0 }, 'x'), id: 'b', tenant: 't', space: 's', seq: 0, ordinal: 0 }
  const { origin: _, ...body } = sealed
  const lineage = { derivation: 'd', method: 'rules', causes: [], completions: [] }
  const value = here.codec.encode({ ...body, knownAt: 0, lineage, keyId: null } as BoxSealed)
  const watermark = here.codec.encode({ type: 'WatermarkAdvanced', derivation: 'd', offset: 3 })
  await here.log.append('utterances', [
    { key: 't/s', value, timestamp: 1 },
    { key: null, partition: 0, value: watermark, timestamp: 1 },
  ])
  await here.append([utterance('1')])
  const running = await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(running.errors, [])
  assert.deepEqual(await topics(here), ['s: c#0'])
  assert.deepEqual(
    (await parkedIn(here.events('parked'))).map(([, , reason]) => reason),
    ['a BoxSealed does not belong in utterances', 'a WatermarkAdvanced does not belong in utterances'],
  )
})

test('records of spaces outside the recipe are skipped undecoded, and the watermark advances', async (t) => {
  const here = await world(t)
  const garbage = { key: 't/other', value: Buffer.from('no Avro'), timestamp: 1 }
  await here.log.append('utterances', [garbage])
  await here.append([utterance('1'), utterance('2', { space: 'other' }), utterance('3', { space: 'other' })])
  await run(here, loom(countingStep), { covers: (space) => space !== 't/other' })
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0'])
  assert.deepEqual(await here.events('parked'), [])
  const marks = (await here.events(boxes)).filter((event) => event.type === 'WatermarkAdvanced')
  assert.equal(marks.at(-1)?.offset, 4)
})
