import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import { awayTimeoutMs, endOffsetsInTime, endOffsetsTimeoutMs, noteLogAnswer } from './end-offsets-in-time.ts'

const away = new LoomlogError('log-unavailable', 'connection refused')
const settled = () => new Promise(setImmediate)

/** A log whose answers the test gives. Its first request has timed out. */
async function logAway(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const asked: PromiseWithResolvers<readonly number[]>[] = []
  const log = {
    endOffsets() {
      const ask = Promise.withResolvers<readonly number[]>()
      asked.push(ask)
      return ask.promise
    },
  }
  const pass = (ms: number) => {
    now += ms
    t.mock.timers.tick(ms)
  }
  const first = assert.rejects(endOffsetsInTime(log, 'utterances'), /no answer within 5 s/)
  pass(endOffsetsTimeoutMs)
  await first
  return { log, asked, pass }
}

test('while the log is away, one request every few seconds waits for it, and the others fail at once', async (t) => {
  const { log, asked, pass } = await logAway(t)
  const second = assert.rejects(endOffsetsInTime(log, 'utterances'), /no answer within 0.5 s/)
  for (let request = 0; request < 5; request += 1)
    await assert.rejects(endOffsetsInTime(log, 'utterances'), /asked again every 2 s/)
  pass(awayTimeoutMs)
  await second
  assert.equal(asked.length, 2)
})

test('the first request after the outage gets its answer', async (t) => {
  const { log, asked } = await logAway(t)
  const found = endOffsetsInTime(log, 'utterances')
  asked[1]?.resolve([7])
  assert.deepEqual(await found, [7])
})

test('after a successful append the log counts as back, despite the late failure of an older request', async (t) => {
  const { log, asked, pass } = await logAway(t)
  const second = assert.rejects(endOffsetsInTime(log, 'utterances'), /no answer/)
  pass(awayTimeoutMs)
  await second
  noteLogAnswer(log)
  for (const ends of [[7], [8]]) {
    const found = endOffsetsInTime(log, 'utterances')
    asked.at(-1)?.resolve(ends)
    assert.deepEqual(await found, ends)
    asked[0]?.reject(away)
    await settled()
  }
})

test('an error in a reply of the log shows that it is back', async (t) => {
  const { log, asked } = await logAway(t)
  const unknown = assert.rejects(endOffsetsInTime(log, 'x'), /no such topic/)
  asked[1]?.reject(new LoomlogError('topic-unknown', 'no such topic'))
  await unknown
  const found = endOffsetsInTime(log, 'utterances')
  asked[2]?.resolve([7])
  assert.deepEqual(await found, [7])
})

test('no request waits for a log that reports that it is away', async () => {
  const log = { endOffsets: () => Promise.reject(away) }
  await assert.rejects(endOffsetsInTime(log, 'utterances'), /connection refused/)
  await assert.rejects(endOffsetsInTime(log, 'utterances'), /asked again every 2 s/)
})
