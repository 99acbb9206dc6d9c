import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { leaseOf } from '../contract/groups.ts'
import { readAll, text, textRecord } from '../contract/records.ts'
import { countOf, playRole } from '../contract/roles.ts'
import { Setup } from '../contract/setup.ts'
import { crashPoints } from '../crash-points.ts'
import { sqliteAdapter } from './contract-adapter.ts'

const inputs = Array.from({ length: 9 }, (_, n) => `w:${n}`)
/** The crash points of the log itself. */
const ownPoints = crashPoints.filter((point) => /^(append|commit|lease)\./.test(point))

describe('a process killed at a crash point', { concurrency: 2 }, () => {
  let setup: Setup
  before(async () => {
    setup = await Setup.start(sqliteAdapter)
  })
  after(() => setup.stop())

  for (const point of ownPoints) {
    test(`leaves all or nothing at ${point}, and another process finishes the work`, async (t) => {
      const [topic, out, group] = [await setup.topic(1), await setup.topic(1), setup.name('group')]
      const copier = { kind: 'copier', group, topic, out, sessionMs: 500, count: inputs.length } as const
      const writer = { kind: 'writer', topic, writer: 'w', count: inputs.length } as const
      const pass = point.startsWith('lease.') ? 1 : 2
      const child = setup.child(t, [writer, copier], { LOOMLOG_CRASH_AT: `${point}:${pass}` })
      assert.equal(await child.ended, 'SIGKILL', `${point} is never reached`)

      const kept = (await readAll(setup.log, topic)).map(text)
      const acknowledged = child.messages.flatMap((message) => (message.kind === 'acknowledged' ? [message.value] : []))
      assert.deepEqual(kept.slice(0, acknowledged.length), acknowledged)
      assert.deepEqual(kept, inputs.slice(0, kept.length))
      if (point === 'append.before-commit') assert.equal(kept.length, 1, 'the second append was not committed')
      if (point === 'append.after-commit') assert.equal(kept.length, 2, 'the second append was committed')

      const copied = (await readAll(setup.log, out)).map(text)
      assert.deepEqual(copied, kept.slice(0, copied.length))
      const position = (await setup.log.groups()).find((lag) => lag.group === group)?.position ?? 0
      assert.equal(position, copied.length, 'outputs and position agree')
      if (point.startsWith('commit.before')) assert.equal(copied.length, 3, 'the second commit changed nothing')
      if (point === 'commit.after-end') assert.equal(copied.length, 6, 'the second commit is whole')

      await setup.log.append(
        topic,
        inputs.slice(kept.length).map((value) => textRecord('w', value)),
      )
      if (copied.length < inputs.length) {
        const rest = { ...copier, count: inputs.length - copied.length }
        await playRole(rest, { log: setup.log, mayCommit: Promise.resolve(), send: () => {} })
      }
      assert.deepEqual((await readAll(setup.log, out)).map(text), inputs)
      const lease = await leaseOf(setup, t, { group, topic })
      assert.deepEqual([lease.position, countOf(lease)], [inputs.length, inputs.length])
    })
  }
})

test('an unknown crash point is refused, since it would never kill a process', async (t) => {
  const setup = await Setup.start(sqliteAdapter)
  t.after(() => setup.stop())
  const child = setup.child(t, [], { LOOMLOG_CRASH_AT: 'append.never' })
  await assert.rejects(child.ended, /code 1.*LOOMLOG_CRASH_AT=append.never: expected name:n/s)
})
