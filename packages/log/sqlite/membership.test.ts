import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { joinGroup } from '../contract/groups.ts'
import { eventually, untilAborted } from '../contract/records.ts'
import { Setup } from '../contract/setup.ts'
import type { Lease } from '../port.ts'
import { sqliteAdapter } from './contract-adapter.ts'

test('while one handler of a leaving member finishes, its other partitions already have new owners', async (t) => {
  const setup = await Setup.start(sqliteAdapter)
  const slow = Promise.withResolvers<void>()
  t.after(() => slow.resolve())
  t.after(() => setup.stop())
  const [topic, group] = [await setup.topic(3), setup.name('group')]
  const onLease = async (lease: Lease) => {
    await untilAborted(lease.signal)
    if (lease.partition === 2) await slow.promise
  }
  const leaving = await joinGroup(setup, t, setup.log, { group, topic, onLease })
  const left = leaving.close()
  const onNewLease = (lease: Lease) => untilAborted(lease.signal)
  const staying = await joinGroup(setup, t, await setup.handle(t), { group, topic, onLease: onNewLease })
  await eventually(20_000, () => assert.deepEqual(staying.heldPartitions, [0, 1]))
  await pause(1_500)
  assert.deepEqual(staying.heldPartitions, [0, 1], 'the slow one is not taken, even after a session')
  slow.resolve()
  await left
  await eventually(20_000, () => assert.deepEqual(staying.heldPartitions, [0, 1, 2]))
})
