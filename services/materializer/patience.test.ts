import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceWith } from './patience.ts'

const now = 1_000_000
const fresh = { key: 'a/b', timestamp: now - 1_000 }
const old = { key: 'a/b', timestamp: now - 100_000 }
const watermark = { key: null, timestamp: now }

test('only a batch of old records waits long, with watermarks or without; watermarks alone say nothing of haste', () => {
  const lingers = [[old], [old, watermark], [old, fresh], [fresh], [watermark], []].map(
    (records) => patienceWith(records, { topic: 'facts', isUrgent: true, now })?.lingerMs,
  )
  assert.deepEqual(lingers, [5_000, 5_000, 1_000, 1_000, undefined, undefined])
})

test('what was just said is in its view within a second', () => {
  const patience = patienceWith([old, fresh], { topic: 'utterances', isUrgent: true, now })
  assert.ok(patience && patience.lingerMs + patience.quietMs < 1_000)
})

test('what nobody reads yet comes in larger batches, and is still less than five seconds behind', () => {
  const patience = patienceWith([fresh], { topic: 'facts', isUrgent: false, now })
  assert.ok(patience && patience.lingerMs > 1_000 && patience.lingerMs < 3_000)
})
