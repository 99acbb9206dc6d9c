import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { fullCommit, patienceWith } from './patience.ts'
import { nextTurn } from './turns.ts'

const now = 1_000_000
const longAgo = { newest: 1, inFlight: 1, isAwaited: true, now }
const justNow = { newest: now - 1, inFlight: 1, isAwaited: true, now }
const room = 256

test('what was just said waits for others only where many are at work', () => {
  assert.equal(patienceWith(justNow).mostMs, 0)
  const busy = patienceWith({ ...justNow, inFlight: 64 })
  assert.ok(busy.mostMs > 0)
  assert.ok(busy.isWorthIt({ waiting: 1, working: 63 }, room))
  assert.ok(!busy.isWorthIt({ waiting: 64, working: 0 }, room))
})

test('what was said long ago waits while steps run anywhere in the process, and no longer', async () => {
  const { mostMs, isWorthIt } = patienceWith(longAgo)
  assert.ok(mostMs > patienceWith(justNow).mostMs)
  for (let steps = 0; steps < 5; steps += 1) {
    await turn()
    await nextTurn()
    assert.ok(isWorthIt({ waiting: 1, working: 0 }, room), 'a step has run since')
  }
  assert.ok(isWorthIt({ waiting: 1, working: 0 }, room), 'one may follow')
  assert.ok(!isWorthIt({ waiting: 1, working: 0 }, room), 'none has')
})

test('what waits for more than may come, or is enough for a commit, waits for nothing', async () => {
  const { isWorthIt } = patienceWith(longAgo)
  await turn()
  await nextTurn()
  assert.ok(!isWorthIt({ waiting: 64, working: 0 }, 0))
  assert.ok(!isWorthIt({ waiting: fullCommit, working: 10 }, room))
})

test('what nobody reads yet waits for others as long as more may come', () => {
  const { mostMs, isWorthIt } = patienceWith({ ...justNow, isAwaited: false })
  assert.ok(mostMs > 0)
  assert.ok(isWorthIt({ waiting: 1, working: 0 }, room))
  assert.ok(!isWorthIt({ waiting: 1, working: 0 }, 0))
})
