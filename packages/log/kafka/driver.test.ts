import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from './driver.ts'

test('a transaction that begins too early is tried again at once, and not after 300 ms', () => {
  const { retry, close } = connectTo(['127.0.0.1:1'], 'test', {})
  assert.ok(Number(retry.initialRetryTime) <= 10)
  close()
})

test('nothing is tried again once it is closed: it would keep the process for half a minute', async () => {
  const { cluster } = connectTo(['127.0.0.1:1'], 'test', {})
  const nobody = cluster()
  const refused = assert.rejects(nobody.connect())
  await sleep(300)
  await nobody.disconnect()
  const closedAt = performance.now()
  await refused
  const tookMs = performance.now() - closedAt
  assert.ok(tookMs < 3_000, `${tookMs} ms`)
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
