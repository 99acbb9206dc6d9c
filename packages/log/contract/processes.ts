/** Processes that are killed, and processes that are stopped and come back too late. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually, readAll, text, textRecords, valuesByKey, within } from './records.ts'
import { playRole } from './roles.ts'
import type { Setup } from './setup.ts'

const startMs = 15_000

export function processesContract(setup: () => Setup): void {
  test('records that were acknowledged survive the SIGKILL of their writers, in the order written', async (t) => {
    const topic = await setup().topic(2)
    const children = ['w0', 'w1', 'w2'].map((writer) =>
      setup().child(t, [{ kind: 'writer', topic, writer, count: 1_000_000 }]),
    )
    for (const child of children) {
      await eventually(startMs, () => assert.ok(child.messages.length >= 30))
      await child.kill()
    }
    const byWriter = valuesByKey(await readAll(setup().log, topic))
    for (const [n, child] of children.entries()) {
      const acknowledged = child.messages.flatMap((message) => (message.kind === 'acknowledged' ? [message.value] : []))
      const kept = byWriter.get(`w${n}`) ?? []
      assert.deepEqual(kept.slice(0, acknowledged.length), acknowledged)
      assert.deepEqual(
        kept,
        [...kept.keys()].map((at) => `w${n}:${at}`),
        'in order, nothing twice',
      )
    }
  })

  test('two processes share the partitions; one is killed, and the other finishes the work, each record once', async (t) => {
    const { log, features } = setup()
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const [topic, out, group] = [await setup().topic(4), await setup().topic(4), setup().name('group')]
    const role = { kind: 'copier', group, topic, out, sessionMs: features.sessionMs, count: 1_000_000 } as const
    const children = [setup().child(t, [role]), setup().child(t, [role])]
    const owners = async () =>
      Map.groupBy(
        (await log.groups()).filter((lag) => lag.group === group),
        ({ owner }) => owner,
      )
    await eventually(startMs + features.settleMs, async () => {
      assert.deepEqual(
        [...(await owners())].map(([owner, lags]) => [owner !== null, lags.length]),
        [
          [true, 2],
          [true, 2],
        ],
      )
    })
    await log.append(topic, textRecords(keys, 20))
    await eventually(features.settleMs, () =>
      assert.ok(children.every((child) => child.messages.some(({ kind }) => kind === 'committed'))),
    )
    await children[0]?.kill()
    await log.append(topic, textRecords(['z'], 5))
    const expected = valuesByKey([...(await readAll(log, topic))])
    await eventually(features.sessionMs + features.settleMs, async () => {
      assert.deepEqual(valuesByKey(await readAll(log, out)), expected)
    })
  })

  test('a process that was stopped for longer than its session is fenced when it resumes', async (t) => {
    const { log, features } = setup()
    const [topic, out, group] = [await setup().topic(1), await setup().topic(1), setup().name('group')]
    const role = { group, topic, out, sessionMs: features.sessionMs } as const
    await log.append(topic, textRecords(['a'], 5))
    const zombie = setup().child(t, [{ ...role, kind: 'holder' }])
    await zombie.waitForMessage('polled', startMs + features.settleMs)
    zombie.stop()
    const mayCommit = Promise.resolve()
    const takeover = playRole({ ...role, kind: 'copier', count: 5 }, { log, mayCommit, send: () => {} })
    await within(features.sessionMs + features.settleMs, 'the takeover', takeover)
    zombie.allowCommit()
    zombie.resume()
    assert.equal((await zombie.waitForMessage('refused', features.settleMs)).code, 'fenced')
    assert.deepEqual((await readAll(log, out)).map(text), ['a:0', 'a:1', 'a:2', 'a:3', 'a:4'])
  })

  test('a process that was stopped for longer than its session continues if no other member took its partition', async (t) => {
    const { log, features } = setup()
    const [topic, out, group] = [await setup().topic(1), await setup().topic(1), setup().name('group')]
    await log.append(topic, textRecords(['a'], 5))
    const role = { kind: 'copier', group, topic, out, sessionMs: features.sessionMs, count: 10 } as const
    const sleeper = setup().child(t, [role])
    await eventually(startMs + features.settleMs, async () => assert.equal((await readAll(log, out)).length, 5))
    sleeper.stop()
    await pause(features.sessionMs * 1.5)
    await log.append(topic, textRecords(['b'], 5))
    sleeper.resume()
    await within(features.settleMs + startMs, 'the end', sleeper.ended)
    assert.deepEqual((await readAll(log, out)).map(text), (await readAll(log, topic)).map(text))
  })
}
