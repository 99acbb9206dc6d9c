/** Commits: outputs, state and position, all or nothing, by the owner only. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { type Commit, type Lease, maxKeyBytes, maxRecordBytes } from '../port.ts'
import { joinGroup, leaseOf } from './groups.ts'
import { eventually, readAll, text, textRecord, textRecords, untilAborted, valuesByKey } from './records.ts'
import { commitCopy, countOf } from './roles.ts'
import type { Setup } from './setup.ts'

interface Scene {
  readonly topic: string
  readonly out: string
  readonly group: string
}

/** A text of the length of a real `traceparent`. */
const traceparentOf = (name: string) => `00-${name}`.padEnd(55, '0')

export function commitContract(setup: () => Setup): void {
  test('the next owner continues from the committed position and state', async (t) => {
    const scene = await newScene(setup(), 4)
    const first = await ownedBy(setup(), t, scene)
    const records = await first.lease.poll({ maxRecords: 3, maxWaitMs: setup().features.settleMs })
    const position = await commitCopy(first.lease, scene.out, records)
    await first.leave()
    const second = await leaseOf(setup(), t, { ...scene, log: await setup().handle(t) })
    assert.equal(second.position, position)
    assert.equal(countOf(second), records.length)
    const rest = await second.poll({ maxRecords: 9, maxWaitMs: setup().features.settleMs })
    assert.deepEqual(
      [...records, ...rest].map(text),
      ['a:0', 'a:1', 'a:2', 'a:3'].slice(0, records.length + rest.length),
    )
    assert.ok(rest.length > 0)
  })

  test('outputs are read in the order of the commits, in each of their topics', async (t) => {
    const scene = await newScene(setup(), 0)
    const other = await setup().topic(3)
    const lease = await leaseOf(setup(), t, scene)
    for (let n = 0; n < 5; n++) {
      const outputs = ['a', 'b', 'c'].flatMap((key) => [
        { topic: other, record: textRecord(key, `${n}`) },
        { topic: scene.out, record: { ...textRecord(key, `${key}${n}`), traceparent: traceparentOf(`${key}${n}`) } },
      ])
      await lease.commit({ outputs, state: [], position: 0 })
    }
    const byKey = valuesByKey(await readAll(setup().log, other))
    for (const key of ['a', 'b', 'c']) assert.deepEqual(byKey.get(key), ['0', '1', '2', '3', '4'])
    const expected = [0, 1, 2, 3, 4].flatMap((n) => ['a', 'b', 'c'].map((key) => `${key}${n}`))
    const out = await readAll(setup().log, scene.out)
    assert.deepEqual(out.map(text), expected)
    for (const record of out) assert.equal(record.traceparent, traceparentOf(text(record)))
  })

  test('state is read by key and by prefix in bytewise order, and a null deletes', async (t) => {
    const lease = await leaseOf(setup(), t, await newScene(setup(), 0))
    const put = (...changes: (readonly [string, string | null])[]) =>
      lease.commit({
        outputs: [],
        state: changes.map(([key, value]) => ({ key, value: value === null ? null : Buffer.from(value) })),
        position: 0,
      })
    const range = (prefix: string, limit: number) => lease.state.range(prefix, limit).map(([key]) => key)
    await put(
      ['p/b', '1'],
      ['p/\u{1f642}', '2'],
      ['p/\uffee', '3'],
      ['p/', '4'],
      ['p', '5'],
      ['q', '6'],
      ['p/a\0z', '7'],
      ['p/a', '8'],
    )
    assert.deepEqual(range('p/', 9), ['p/', 'p/a', 'p/a\0z', 'p/b', 'p/\uffee', 'p/\u{1f642}'])
    assert.deepEqual(range('p/', 2), ['p/', 'p/a'])
    assert.deepEqual(range('r', 9), [])
    assert.equal(lease.state.get('missing'), null)
    const many = lease.state.getMany(['p/a\0z', 'missing', 'p/\u{1f642}', 'p/a'])
    const texts = [...many].map(([key, value]) => [key, Buffer.from(value).toString()])
    assert.deepEqual(
      new Map(texts as [string, string][]),
      new Map([
        ['p/a\0z', '7'],
        ['p/\u{1f642}', '2'],
        ['p/a', '8'],
      ]),
    )
    assert.deepEqual(lease.state.getMany([]), new Map())
    await put(['p/a', null], ['p/b', 'new'], ['missing', null])
    assert.equal(lease.state.get('p/a'), null)
    assert.equal(Buffer.from(lease.state.get('p/b') ?? []).toString(), 'new')
    assert.deepEqual(range('p/', 3), ['p/', 'p/a\0z', 'p/b'])
    assert.deepEqual(range('', 99).length, 7)
  })

  test('a commit with a bad output changes nothing, and the lease continues', async (t) => {
    const scene = await newScene(setup(), 2)
    const lease = await leaseOf(setup(), t, scene)
    const records = await lease.poll({ maxRecords: 1, maxWaitMs: setup().features.settleMs })
    const good = { topic: scene.out, record: textRecord('a', 'never seen') }
    const large = { key: 'a', value: new Uint8Array(maxRecordBytes + 1), timestamp: 0 }
    for (const [bad, code] of [
      [{ topic: scene.out, record: large }, 'record-too-large'],
      [{ topic: scene.out, record: textRecord('k'.repeat(maxKeyBytes + 1), 'x') }, 'record-too-large'],
      [{ topic: setup().name('nowhere'), record: textRecord('a', 'x') }, 'topic-unknown'],
    ] as const) {
      const state = [{ key: 'count', value: Buffer.from('99') }]
      await assert.rejects(lease.commit({ outputs: [good, bad], state, position: 1 }), (error) =>
        isLoomlogError(error, code),
      )
    }
    await assertUntouched(setup(), scene, lease)
    await commitCopy(lease, scene.out, records)
    assert.deepEqual((await readAll(setup().log, scene.out)).map(text), ['a:0'])
  })

  test('a commit with a state record above the limit changes nothing, and the lease continues with one at the limit', async (t) => {
    const scene = await newScene(setup(), 2)
    const lease = await leaseOf(setup(), t, scene)
    const records = await lease.poll({ maxRecords: 1, maxWaitMs: setup().features.settleMs })
    const outputs = [{ topic: scene.out, record: textRecord('a', 'never seen') }]
    const sized = (key: string, bytes: number) => ({ key, value: Buffer.alloc(bytes - key.length, 'x') })
    for (const bad of [sized('large', maxRecordBytes + 1), { key: 'k'.repeat(maxRecordBytes + 1), value: null }]) {
      const state = [{ key: 'count', value: Buffer.from('99') }, bad]
      await assert.rejects(lease.commit({ outputs, state, position: 1 }), (error) => {
        assert.ok(isLoomlogError(error, 'record-too-large'))
        for (const part of [bad.key.slice(0, 9), `${maxRecordBytes + 1}`, `${maxRecordBytes}`])
          assert.ok(error.message.includes(part))
        return true
      })
    }
    await assertUntouched(setup(), scene, lease)
    await lease.commit({ outputs: [], state: [sized('full', maxRecordBytes)], position: 0 })
    assert.equal(lease.state.get('full')?.byteLength, maxRecordBytes - 4)
    await commitCopy(lease, scene.out, records)
    assert.deepEqual((await readAll(setup().log, scene.out)).map(text), ['a:0'])
  })

  test('a position never goes back: such a commit is refused whole', async (t) => {
    const scene = await newScene(setup(), 2)
    const lease = await leaseOf(setup(), t, scene)
    const position = await commitCopy(
      lease,
      scene.out,
      await lease.poll({ maxRecords: 9, maxWaitMs: setup().features.settleMs }),
    )
    const state = [{ key: 'count', value: null }]
    await assert.rejects(lease.commit({ outputs: [], state, position: 0 }))
    assert.equal((await setup().log.groups()).find(({ group }) => group === scene.group)?.position, position)
    assert.ok(countOf(lease) > 0)
  })

  test('an owner that released its lease is fenced, and its commit has no effect', async (t) => {
    const scene = await newScene(setup(), 2)
    const { lease: former, leave } = await ownedBy(setup(), t, scene)
    const late: Commit = {
      outputs: [{ topic: scene.out, record: textRecord('a', 'never seen') }],
      state: [{ key: 'count', value: Buffer.from('99') }],
      position: 1,
    }
    await leave()
    await assert.rejects(former.commit(late), (error) => isLoomlogError(error, 'fenced'))
    const lease = await leaseOf(setup(), t, { ...scene, log: await setup().handle(t) })
    await assert.rejects(former.commit(late), (error) => isLoomlogError(error, 'fenced'))
    assert.ok(former.signal.aborted)
    await assertUntouched(setup(), scene, lease)
  })
}

/** One input partition with `count` records `a:0`…, one output partition, a group. */
async function newScene(setup: Setup, count: number): Promise<Scene> {
  const scene = { topic: await setup.topic(1), out: await setup.topic(1), group: setup.name('group') }
  await setup.log.append(scene.topic, textRecords(['a'], count))
  return scene
}

/** A lease, and a function that closes its membership, after which a test can still use the lease. */
async function ownedBy(setup: Setup, t: TestContext, scene: Scene): Promise<{ lease: Lease; leave(): Promise<void> }> {
  let lease: Lease | null = null
  const onLease = async (taken: Lease) => {
    lease = taken
    await untilAborted(taken.signal)
  }
  const membership = await joinGroup(setup, t, setup.log, { group: scene.group, topic: scene.topic, onLease })
  await eventually(setup.features.settleMs, () => assert.ok(lease))
  if (!lease) throw new Error('the lease was taken')
  return { lease, leave: () => membership.close() }
}

async function assertUntouched(setup: Setup, scene: Scene, lease: Lease): Promise<void> {
  assert.deepEqual(await readAll(setup.log, scene.out), [])
  assert.deepEqual(lease.state.range('', 9), [])
  assert.equal((await setup.log.groups()).find(({ group }) => group === scene.group)?.position, 0)
}
