import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'

const home = 'acme/home'

test('an utterance that a view merges while the tail is read is found, also with the end of a conversation excluded', async (t) => {
  const place = await memory(t)
  await place.write('utterances', [await row(home, 'old', 'Ada: The zebra sleeps.', { offset: 0 })])
  const reader = place.views.forOneRecall()
  const watermark = reader.watermark.bind(reader)
  reader.watermark = async (topic, partition) => {
    reader.watermark = watermark
    const merged = { conversation: 'other', at: 1, offset: 1 }
    await place.write('utterances', [await row(home, 'merged', 'Ada: The zebra eats.', merged)])
    return await watermark(topic, partition)
  }
  place.views.forOneRecall = () => reader
  const request = { space: home, query: 'zebra', excludeLast: [{ conversation: 'c', count: 1 }] }
  assert.deepEqual(
    (await recall(request, place)).items.map(({ id }) => id),
    ['merged'],
  )
})
