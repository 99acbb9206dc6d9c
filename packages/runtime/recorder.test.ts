import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Log } from '@loomlog/log/port'
import { Recorder } from './recorder.ts'

const record = { key: 't/s', value: new Uint8Array(), timestamp: 1 }

function appending() {
  const batches: number[] = []
  const log: Pick<Log, 'append'> = {
    async append(topic, records) {
      await turn()
      batches.push(records.length)
      return records.map((_, offset) => ({ topic, partition: 0, offset }))
    },
  }
  return { batches, recorder: new Recorder(log as Log, 'completions') }
}

test('answers that come while an append is under way go together in the next', async () => {
  const { batches, recorder } = appending()
  await Promise.all([recorder.append(record), recorder.append(record), recorder.append(record)])
  assert.deepEqual(batches, [1, 2])
})

test('an answer that comes at any moment after the append before it is appended', async () => {
  const { batches, recorder } = appending()
  for (let microtasks = 0; microtasks < 8; microtasks++) {
    await recorder.append(record)
    for (let n = 0; n < microtasks; n++) await null
    await recorder.append(record)
  }
  assert.equal(batches.length, 16)
})
