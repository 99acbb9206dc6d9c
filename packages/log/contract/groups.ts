/** Groups: the owner of each partition, how ownership changes, and the records that a lease delivers. */
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import type { JoinOptions, Lease, Log, Membership } from '../port.ts'
import { eventually, text, textRecord, textRecords, untilAborted, within } from './records.ts'
import { commitCopy } from './roles.ts'
import type { Setup } from './setup.ts'

export function groupsContract(setup: () => Setup): void {
  test('members on two handles share the partitions evenly, and the last one left holds all', async (t) => {
    const { log, features } = setup()
    const [topic, group] = [await setup().topic(4), setup().name('group')]
    const holding = new Overlap()
    const join = (on: Log) => joinGroup(setup(), t, on, { group, topic, onLease: (lease) => holding.during(lease) })
    const first = await join(log)
    await eventually(features.settleMs, () => assert.deepEqual(first.heldPartitions, [0, 1, 2, 3]))
    const second = await join(await setup().handle(t))
    const third = await join(await setup().handle(t))
    await eventually(features.settleMs, () => assertShared([first, second, third], 4))
    await third.close()
    await first.close()
    assert.deepEqual(first.heldPartitions, [])
    await eventually(features.settleMs, () => assert.deepEqual(second.heldPartitions, [0, 1, 2, 3]))
    assert.deepEqual(holding.seen, [], 'no partition was held twice at a time')
  })

  test('a partition gets its next owner only after its handler returned, at a higher epoch', async (t) => {
    const { log, features } = setup()
    const [topic, group] = [await setup().topic(1), setup().name('group')]
    const events: string[] = []
    const epochs: number[] = []
    const onLease = (name: string) => async (lease: Lease) => {
      events.push(`${name} starts`)
      epochs.push(lease.epoch)
      await untilAborted(lease.signal)
      await pause(setup().features.sessionMs / 2)
      events.push(`${name} ends`)
    }
    const first = await joinGroup(setup(), t, log, { group, topic, onLease: onLease('first') })
    await eventually(features.settleMs, () => assert.deepEqual(events, ['first starts']))
    await joinGroup(setup(), t, await setup().handle(t), { group, topic, onLease: onLease('second') })
    await Promise.all([first.close(), first.close()])
    assert.equal(events[1], 'first ends', 'close waits for the handler')
    await eventually(features.settleMs, () => assert.deepEqual(events, ['first starts', 'first ends', 'second starts']))
    assert.ok((epochs[1] ?? 0) > (epochs[0] ?? 0), `epochs ${epochs}`)
  })

  test('closing the log closes its memberships first', async (t) => {
    const [topic, group] = [await setup().topic(1), setup().name('group')]
    const log = await setup().handle(t)
    let ended = 0
    const onLease = async (lease: Lease) => {
      await untilAborted(lease.signal)
      ended += 1
    }
    const membership = await joinGroup(setup(), t, log, { group, topic, onLease })
    await eventually(setup().features.settleMs, () => assert.deepEqual(membership.heldPartitions, [0]))
    await log.close()
    assert.equal(ended, 1)
  })

  test('the abort of its signal ends a membership; a join with an aborted signal returns a closed one', async (t) => {
    const [topic, group] = [await setup().topic(1), setup().name('group')]
    const stop = new AbortController()
    const ended = Promise.withResolvers<void>()
    const onLease = async (lease: Lease) => {
      await untilAborted(lease.signal)
      ended.resolve()
    }
    const options = { group, topic, onLease, signal: stop.signal }
    const membership = await joinGroup(setup(), t, setup().log, options)
    await eventually(setup().features.settleMs, () => assert.deepEqual(membership.heldPartitions, [0]))
    stop.abort()
    await within(setup().features.settleMs, 'the end of the handler', ended.promise)
    const late = await joinGroup(setup(), t, await setup().handle(t), options)
    await late.close()
    assert.deepEqual(late.heldPartitions, [])
  })

  test('a closed membership leaves no listener on its signal, which may live as long as the process', async (t) => {
    const [topic, group] = [await setup().topic(1), setup().name('group')]
    const { signal } = new AbortController()
    const onLease = (lease: Lease) => untilAborted(lease.signal)
    const membership = await joinGroup(setup(), t, setup().log, { group, topic, onLease, signal })
    assert.equal(getEventListeners(signal, 'abort').length, 1)
    await membership.close()
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })

  test('an error of a handler is reported, and its partition is taken again', async (t) => {
    const [topic, group] = [await setup().topic(1), setup().name('group')]
    const errors: unknown[] = []
    let taken = 0
    const onLease = async (lease: Lease) => {
      taken += 1
      if (taken === 1) throw new Error('broken once')
      await untilAborted(lease.signal)
    }
    const membership = await joinGroup(setup(), t, setup().log, {
      group,
      topic,
      onLease,
      onError: (error) => errors.push(error),
    })
    await eventually(setup().features.settleMs, () => assert.equal(taken, 2))
    assert.deepEqual(errors.map(String), ['Error: broken once'])
    assert.deepEqual(membership.heldPartitions, [0])
  })

  test('poll returns each record once and in order, waits for the first, and returns empty after its wait', async (t) => {
    const { log, features } = setup()
    const [topic, group] = [await setup().topic(1), setup().name('group')]
    await log.append(topic, textRecords(['a'], 5))
    const lease = await leaseOf(setup(), t, { group, topic })
    const poll = async (maxWaitMs: number) => (await lease.poll({ maxRecords: 3, maxWaitMs })).map(text)
    const found = [await poll(features.settleMs)]
    while (found.flat().length < 5) found.push(await poll(features.settleMs))
    assert.deepEqual(found.flat(), ['a:0', 'a:1', 'a:2', 'a:3', 'a:4'])
    assert.ok(found.every((batch) => batch.length <= 3))
    const start = performance.now()
    assert.deepEqual(await poll(200), [])
    assert.ok(performance.now() - start >= 190, 'it waited')
    const waiting = poll(30_000)
    await log.append(topic, [textRecord('a', 'late')])
    assert.deepEqual(await within(features.settleMs, 'the late record', waiting), ['late'])
  })

  test('after a seek, poll continues at the given offset, back or forth', async (t) => {
    const { log, features } = setup()
    const [topic, group] = [await setup().topic(1), setup().name('group')]
    const positions = await log.append(topic, textRecords(['a'], 4))
    const lease = await leaseOf(setup(), t, { group, topic })
    const next = async () => (await lease.poll({ maxRecords: 1, maxWaitMs: features.settleMs })).map(text)
    assert.deepEqual([await next(), await next()], [['a:0'], ['a:1']])
    lease.seek(positions[3]?.offset ?? Number.NaN)
    assert.deepEqual(await next(), ['a:3'])
    lease.seek(0)
    assert.deepEqual([await next(), await next()], [['a:0'], ['a:1']])
  })

  test('a waiting poll returns empty when its lease ends', async (t) => {
    const [topic, group] = [await setup().topic(1), setup().name('group')]
    const polled = Promise.withResolvers<number>()
    const onLease = async (lease: Lease) =>
      polled.resolve((await lease.poll({ maxRecords: 1, maxWaitMs: 60_000 })).length)
    const membership = await joinGroup(setup(), t, setup().log, { group, topic, onLease })
    await eventually(setup().features.settleMs, () => assert.deepEqual(membership.heldPartitions, [0]))
    await membership.close()
    assert.equal(await within(30_000, 'the poll', polled.promise), 0)
  })

  test('groups are listed with their positions, epochs and owners, each group by itself', async (t) => {
    const { log } = setup()
    const [topic, out] = [await setup().topic(1), await setup().topic(1)]
    const [group, idle] = [setup().name('group'), setup().name('group')]
    await log.append(topic, textRecords(['a'], 3))
    const lease = await leaseOf(setup(), t, { group, topic })
    await leaseOf(setup(), t, { group: idle, topic })
    const position = await commitCopy(
      lease,
      out,
      await lease.poll({ maxRecords: 9, maxWaitMs: setup().features.settleMs }),
    )
    const lags = (await log.groups()).filter((lag) => lag.topic === topic)
    const mine = lags.filter((lag) => lag.group === group)
    assert.deepEqual(
      mine.map(({ owner, ...lag }) => lag),
      [{ group, topic, partition: 0, position, epoch: lease.epoch }],
    )
    assert.equal(typeof mine[0]?.owner, 'string')
    assert.equal(lags.find((lag) => lag.group === idle)?.position, 0)
  })

  test('a deleted group starts again at position 0 without state; a group with members is not deleted', async (t) => {
    const { log, features } = setup()
    const [topic, out, group] = [await setup().topic(1), await setup().topic(1), setup().name('group')]
    await log.append(topic, textRecords(['a'], 3))
    const onLease = async (lease: Lease) => {
      if (lease.position === 0)
        await commitCopy(lease, out, await lease.poll({ maxRecords: 9, maxWaitMs: features.settleMs }))
      await untilAborted(lease.signal)
    }
    const membership = await joinGroup(setup(), t, log, { group, topic, onLease })
    const position = async () => (await log.groups()).find((lag) => lag.group === group)?.position
    await eventually(features.settleMs, async () => assert.ok((await position()) ?? 0))
    await assert.rejects(log.deleteGroup(group), (error) => isLoomlogError(error, 'group-in-use'))
    await membership.close()
    await log.deleteGroup(group)
    await log.deleteGroup(group)
    assert.equal(await position(), undefined)
    const again = await leaseOf(setup(), t, { group, topic })
    assert.equal(again.position, 0)
    assert.deepEqual(again.state.range('', 9), [])
  })
}

/**
 * Joins with the suite's session, and leaves when the test ends. Errors fail the test unless it passes an `onError`.
 */
export async function joinGroup(
  setup: Setup,
  t: TestContext,
  log: Log,
  options: Pick<JoinOptions, 'group' | 'topic' | 'onLease' | 'signal'> & {
    readonly onError?: (error: unknown) => void
  },
): Promise<Membership> {
  const errors: unknown[] = []
  const { sessionMs } = setup.features
  const membership = await log.join({ sessionMs, onError: (error) => errors.push(error), ...options })
  t.after(async () => {
    await membership.close()
    if (errors.length > 0) throw errors[0]
  })
  return membership
}

/** The lease of a topic's only partition, held until the test ends. */
export async function leaseOf(
  setup: Setup,
  t: TestContext,
  options: { readonly group: string; readonly topic: string; readonly log?: Log },
): Promise<Lease> {
  const taken = Promise.withResolvers<Lease>()
  const onLease = async (lease: Lease) => {
    taken.resolve(lease)
    await untilAborted(lease.signal)
  }
  await joinGroup(setup, t, options.log ?? setup.log, { group: options.group, topic: options.topic, onLease })
  return within(setup.features.settleMs, 'the lease', taken.promise)
}

/** Records the partitions that two handlers hold at the same time. */
class Overlap {
  readonly seen: number[] = []
  readonly #active = new Set<number>()

  async during(lease: Lease): Promise<void> {
    if (this.#active.has(lease.partition)) this.seen.push(lease.partition)
    this.#active.add(lease.partition)
    await untilAborted(lease.signal)
    this.#active.delete(lease.partition)
  }
}

function assertShared(members: readonly Membership[], partitions: number): void {
  const held = members.flatMap((member) => member.heldPartitions).sort((a, b) => a - b)
  assert.deepEqual(held, [...Array(partitions).keys()])
  const counts = members.map((member) => member.heldPartitions.length)
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `shares ${counts}`)
}
