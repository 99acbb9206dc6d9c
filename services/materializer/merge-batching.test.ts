import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchingFor } from './merge-batching.ts'

const now = 1_000_000
const fresh = { key: 'a/b', timestamp: now - 1_000 }
const old = { key: 'a/b', timestamp: now - 100_000 }
const watermark = { key: null, timestamp: now }

test('only a batch of old records waits long, with or without watermarks; watermarks alone give no batching', () => {
  const lingers = [[old], [old, watermark], [old, fresh], [fresh], [watermark], []].map(
    (records) => batchingFor(records, { topic: 'facts', isBesideLiveWork: false, now })?.lingerMs,
  )
  assert.deepEqual(lingers, [5_000, 5_000, 1_000, 1_000, undefined, undefined])
})

test('a new utterance is in its view within a second', () => {
  const batching = batchingFor([old, fresh], { topic: 'utterances', isBesideLiveWork: false, now })
  assert.ok(batching && batching.lingerMs + batching.quietMs < 1_000)
})

test('a background view waits longer, and is still less than five seconds behind', () => {
  const batching = batchingFor([fresh], { topic: 'facts', isBesideLiveWork: true, now })
  assert.ok(batching && batching.lingerMs > 1_000 && batching.lingerMs < 3_000)
})
