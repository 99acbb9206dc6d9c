import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { commitBatching, fullCommitRecords } from './commit-batching.ts'
import { nextSlice } from './event-loop-slices.ts'

const now = 1_000_000
const longAgo = { newest: 1, uncommitted: 1, isBesideLiveWork: false, now }
const justNow = { newest: now - 1, uncommitted: 1, isBesideLiveWork: false, now }
const room = 256

test('fresh input waits for more records only while many are uncommitted', () => {
  assert.equal(commitBatching(justNow).maxWaitMs, 0)
  const busy = commitBatching({ ...justNow, uncommitted: 64 })
  assert.ok(busy.maxWaitMs > 0)
  assert.ok(busy.isWorthWaiting({ released: 1, working: 63 }, room))
  assert.ok(!busy.isWorthWaiting({ released: 64, working: 0 }, room))
})

test('old input waits while steps run anywhere in the process, and no longer', async () => {
  const { maxWaitMs, isWorthWaiting } = commitBatching(longAgo)
  assert.ok(maxWaitMs > commitBatching(justNow).maxWaitMs)
  for (let steps = 0; steps < 5; steps += 1) {
    await turn()
    await nextSlice()
    assert.ok(isWorthWaiting({ released: 1, working: 0 }, room), 'a step has run since')
  }
  assert.ok(isWorthWaiting({ released: 1, working: 0 }, room), 'one may follow')
  assert.ok(!isWorthWaiting({ released: 1, working: 0 }, room), 'none has')
})

test('a commit that no more records can join does not wait', async () => {
  const { isWorthWaiting } = commitBatching(longAgo)
  await turn()
  await nextSlice()
  assert.ok(!isWorthWaiting({ released: 64, working: 0 }, 0))
})

test('a full commit does not wait, for any input, although steps still run', async () => {
  const beside = { ...justNow, isBesideLiveWork: true }
  for (const input of [justNow, { ...justNow, uncommitted: 1_000 }, longAgo, beside]) {
    const { isWorthWaiting } = commitBatching(input)
    await turn()
    await nextSlice()
    for (const more of [0, room])
      assert.ok(!isWorthWaiting({ released: fullCommitRecords, working: 10 }, more), JSON.stringify(input))
  }
})

test('a background commit waits as long as more records may come', () => {
  const { maxWaitMs, isWorthWaiting } = commitBatching({ ...justNow, isBesideLiveWork: true })
  assert.ok(maxWaitMs > 0)
  assert.ok(isWorthWaiting({ released: 1, working: 0 }, room))
  assert.ok(!isWorthWaiting({ released: 1, working: 0 }, 0))
})
