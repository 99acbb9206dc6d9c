import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import { Recorder } from './recorder.ts'

const record = { key: 't/s', value: new Uint8Array(), timestamp: 1 }

function appending() {
  const appends: number[] = []
  const log: Pick<Log, 'append'> = {
    async append(topic, records) {
      await turn()
      appends.push(records.length)
      return records.map((_, offset) => ({ topic, partition: 0, offset }))
    },
  }
  return { appends, recorder: new Recorder(log as Log, 'completions') }
}

test('answers that arrive during an append share the next one', async () => {
  const { appends, recorder } = appending()
  await Promise.all([recorder.append(record), recorder.append(record), recorder.append(record)])
  assert.deepEqual(appends, [1, 2])
})

test('an answer that arrives at any moment after an append is appended', async () => {
  const { appends, recorder } = appending()
  for (let microtasks = 0; microtasks < 8; microtasks++) {
    await recorder.append(record)
    for (let n = 0; n < microtasks; n++) await null
    await recorder.append(record)
  }
  assert.equal(appends.length, 16)
})

test('an answer that the log refuses as too large fails alone', async () => {
  const appended: number[] = []
  const log: Pick<Log, 'append'> = {
    async append(topic, records) {
      await turn()
      if (records.some(({ value }) => value.length > 1)) throw new LoomlogError('record-too-large', 'too large')
      appended.push(records.length)
      return records.map((_, offset) => ({ topic, partition: 0, offset }))
    },
  }
  const recorder = new Recorder(log as Log, 'completions')
  const large = { ...record, value: new Uint8Array(2) }
  const outcomes = await Promise.allSettled([record, record, large, record].map((each) => recorder.append(each)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(appended, [1, 1, 1])
})
