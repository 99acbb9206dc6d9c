import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { joinGroup } from '../contract/groups.ts'
import { eventually, untilAborted } from '../contract/records.ts'
import { Setup } from '../contract/setup.ts'
import type { Lease } from '../port.ts'
import { CommitWatch } from './commit-watch.ts'
import { sqliteAdapter } from './contract-adapter.ts'
import { Database } from './driver.ts'
import { SqliteMembership } from './membership.ts'

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

test('members of a process that joined at different times share the commits of their heartbeats', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-members-'))
  let commits = 0
  const db = new Database({ dir, maxBytes: null, onCommit: () => commits++ })
  const everyMs = 100
  const members: SqliteMembership[] = []
  t.after(async () => {
    await Promise.all(members.map((member) => member.close()))
    db.close()
    await rm(dir, { recursive: true })
  })
  for (let n = 0; n < 8; n += 1) {
    const options = {
      group: `group ${n}`,
      topic: 'none',
      sessionMs: 5 * everyMs,
      onLease: async () => {},
      onError() {},
    }
    members.push(new SqliteMembership(db, new CommitWatch(), options))
    await pause(10)
  }
  const before = commits
  await pause(10 * everyMs)
  const heartbeats = commits - before
  assert.ok(heartbeats >= 3 && heartbeats <= 30, `${heartbeats} commits in ten intervals of eight members`)
})
