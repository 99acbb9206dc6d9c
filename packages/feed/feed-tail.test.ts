import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import type { LogRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { forgetTexts } from '@loomlog/text-caches'
import { countStringsWith, freshCanary } from '../../test/heap-strings.ts'
import { defaultFeedReadLimits } from './feed-limits.ts'
import { type MessageTopic, memoryEvents } from './feed-message.ts'
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

test('after a forgetting a tail holds no message from before it, and follows as before', async () => {
  const record = (offset: number): LogRecord => ({
    topic: 'any',
    partition: 0,
    offset,
    key: 'a/b',
    value: Uint8Array.of(),
    timestamp: 1,
  })
  const second = Promise.withResolvers<void>()
  const log: FeedTailOptions['log'] = {
    endOffsets: async () => [0],
    async *read({ signal }) {
      yield [record(0)]
      await second.promise
      yield [record(1)]
      if (signal !== undefined && !signal.aborted) await once(signal, 'abort')
    },
  }
  const canary = freshCanary()
  const none = { space: null, id: '', type: null, formerType: null, traceparent: null }
  const topic: MessageTopic = {
    name: 'any',
    messagesOf: async (records) =>
      records.map(({ offset }) => ({ ...none, partition: 0, offset, json: `${offset} ${canary}` })),
  }
  const tail = new FeedTail({
    topic,
    log,
    codec: {} as Codec,
    limits: defaultFeedReadLimits,
    onRetryableError: () => {},
  })
  const untilEnd = (offset: number) => tail.changed(new Map([[0, offset - 1]]), 10_000, AbortSignal.timeout(10_000))
  await tail.start()
  await untilEnd(1)
  assert.equal(tail.heldFrom(0, 0)?.length, 1)
  forgetTexts()
  assert.deepEqual(await countStringsWith([canary]), [0])
  assert.equal(tail.heldFrom(0, 0), null, 'offset 0 is read from the log')
  second.resolve()
  await untilEnd(2)
  assert.deepEqual(
    tail.heldFrom(0, 1)?.map(({ offset }) => offset),
    [1],
  )
  await tail.close()
})
