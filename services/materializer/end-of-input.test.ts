import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@loomlog/log/port'
import type { LoomEvent } from '@loomlog/schemas/events'
import { box } from '../../packages/views/fixture.ts'
import { isEndOfInput } from './end-of-input.ts'

/** Two partitions of utterances, of three and of ten records. */
const log = { endOffsets: async () => [3, 10] }
const events: readonly LoomEvent[] = [
  box,
  { type: 'WatermarkAdvanced', derivation: 'd1', offset: 9 },
  { type: 'WatermarkAdvanced', derivation: 'd1', offset: 10 },
]
/** The value of a record is the index of its event. */
const codec = { decodeOwn: async ([index = 0]: Uint8Array) => events[index] as LoomEvent }

function record(index: number, offset = 0): LogRecord {
  const key = events[index]?.type === 'WatermarkAdvanced' ? null : 'acme/home'
  return { topic: 'any', partition: 1, offset, key, value: Uint8Array.of(index), timestamp: 0 }
}

test('derived events are at their end once a watermark covers every utterance of the partition', async () => {
  const source = { log, codec, topic: 'facts' } as const
  assert.equal(await isEndOfInput([record(0)], source), false)
  assert.equal(await isEndOfInput([record(0), record(1)], source), false)
  assert.equal(await isEndOfInput([record(1), record(0), record(2), record(0)], source), true)
  assert.equal(await isEndOfInput([], source), false)
})

test('utterances are at their end at the end of their partition', async () => {
  const source = { log, codec, topic: 'utterances' } as const
  assert.equal(await isEndOfInput([record(0, 8)], source), false)
  assert.equal(await isEndOfInput([record(0, 9)], source), true)
})
