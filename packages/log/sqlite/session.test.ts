import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, textRecord, within } from '../contract/records.ts'
import { playRole } from '../contract/roles.ts'
import { Setup } from '../contract/setup.ts'
import { sqliteAdapter } from './contract-adapter.ts'

test('with the default session, the partition of a killed process has a new owner within ten seconds', async (t) => {
  const setup = await Setup.start(sqliteAdapter)
  t.after(() => setup.stop())
  const [topic, out, group] = [await setup.topic(1), await setup.topic(1), setup.name('group')]
  const role = { kind: 'copier', group, topic, out, sessionMs: 5_000 } as const
  const child = setup.child(t, [{ ...role, count: 2 }])
  await child.waitForMessage('took', 15_000)
  await setup.log.append(topic, [textRecord('a', 'one')])
  await eventually(20_000, async () => assert.deepEqual(await setup.log.endOffsets(out), [1]))
  await child.kill()
  await setup.log.append(topic, [textRecord('a', 'two')])
  const takeover = playRole({ ...role, count: 1 }, { log: setup.log, mayCommit: Promise.resolve(), send: () => {} })
  await within(10_000, 'the takeover', takeover)
  assert.deepEqual(await setup.log.endOffsets(out), [2])
})
