import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { promptEnds, promptMs } from './prompt-ends.ts'

const isAway = (error: unknown) => isLoomlogError(error, 'log-unavailable')

test('a log that does not answer is waited for once; then it is asked once a second, and found when it is back', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const asked: ((ends: readonly number[]) => void)[] = []
  const log = { endOffsets: () => new Promise<readonly number[]>((resolve) => asked.push(resolve)) }
  const first = assert.rejects(promptEnds(log, 'utterances'), isAway)
  t.mock.timers.tick(promptMs)
  await first
  now += promptMs
  for (let request = 0; request < 5; request += 1) await assert.rejects(promptEnds(log, 'utterances'), isAway)
  assert.equal(asked.length, 2)
  asked[1]?.([7])
  await new Promise(setImmediate)
  const found = promptEnds(log, 'utterances')
  asked[2]?.([8])
  assert.deepEqual(await found, [8], 'asked after the request came')
})

test('a log that says that it is away is not waited for, and other errors pass', async () => {
  const log = { endOffsets: () => Promise.reject(new LoomlogError('log-unavailable', 'connection refused')) }
  await assert.rejects(promptEnds(log, 'utterances'), /connection refused/)
  await assert.rejects(promptEnds(log, 'utterances'), isAway)
  const unknown = { endOffsets: () => Promise.reject(new LoomlogError('topic-unknown', 'no such topic')) }
  for (let request = 0; request < 2; request += 1) await assert.rejects(promptEnds(unknown, 'x'), /no such topic/)
})
