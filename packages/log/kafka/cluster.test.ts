import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectTo } from './cluster.ts'

test('what comes too early is tried again at once: one transaction after the other would wait 300 ms otherwise', () => {
  const { retry, close } = connectTo(['127.0.0.1:1'], 'test', {})
  assert.ok(Number(retry.initialRetryTime) <= 10)
  close()
})

test('of what Node warns of, only the negative timeouts of kafkajs are dropped', async (t) => {
  const heard: string[] = []
  const listen = ({ name, message }: Error) => heard.push(`${name}: ${message}`)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  process.emitWarning('-5 is a negative number', 'TimeoutNegativeWarning')
  process.emitWarning('-5 is a negative number', { type: 'TimeoutNegativeWarning' })
  process.emitWarning('something else', { type: 'OtherWarning' })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(heard, ['OtherWarning: something else'])
})
