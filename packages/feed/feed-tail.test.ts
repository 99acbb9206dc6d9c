import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import type { Codec } from '@loomlog/schemas/codec'
import { defaultFeedReadLimits } from './feed-limits.ts'
import { memoryEvents } from './feed-message.ts'
import { FeedTail, type FeedTailOptions } from './feed-tail.ts'

test('a tail follows a log that was replaced, also if the log is away right after', async () => {
  const troubles: unknown[] = []
  const onRetryableError = (error: unknown) => troubles.push(error)
  const followed = Promise.withResolvers<void>()
  const failures = [null, new LoomlogError('log-unavailable', 'the log is away')]
  let reads = 0
  const log: FeedTailOptions['log'] = {
    async endOffsets() {
      const failure = failures.shift() ?? null
      if (failure !== null) throw failure
      return [3]
    },
    async *read({ from, signal }) {
      reads += 1
      if (reads === 1) throw new LoomlogError('log-replaced', 'the log is another one')
      assert.deepEqual(from, new Map([[0, 3]]))
      followed.resolve()
      if (signal !== undefined && !signal.aborted) await once(signal, 'abort')
      yield []
    },
  }
  const tail = new FeedTail({
    topic: memoryEvents,
    log,
    codec: {} as Codec,
    limits: defaultFeedReadLimits,
    beginningOf: async () => 0,
    onRetryableError,
  })
  await tail.start()
  await followed.promise
  await tail.close()
  assert.deepEqual(
    troubles.map((error) => (error as LoomlogError).code),
    ['log-replaced', 'log-unavailable'],
  )
})
