/**
 * Conditions that only Kafka has: aborted transactions, transactions left open, slow handlers in a group with a
 * session, lost copies.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import { eventually, readAll, text, textRecords, untilAborted } from '../contract/records.ts'
import { commitCopy } from '../contract/roles.ts'
import type { Lease } from '../port.ts'
import { type KafkaLogOptions, openKafkaLog } from './adapter.ts'
import { connectTo } from './driver.ts'
import { KafkaNames } from './names.ts'
import { suiteLog } from './suite-log.ts'
import { GroupMember } from './wire/group-member.ts'
import { transactionalProducer } from './wire/transactional-producer.ts'

const skip = (await skipReason()) ?? false
/** Brokers allow no shorter session by default. */
const sessionMs = process.env.LOOMLOG_TEST_BROKERS ? 6_000 : 1_000

describe('the Log on Kafka', { skip }, () => {
  const suite = suiteLog()
  before(async () => {
    for (const name of ['in', 'out']) await suite.log.createTopic({ name, partitions: 1, retentionMs: null })
  })

  test('records of aborted transactions are never read, also where several overlap', async () => {
    const topic = new KafkaNames(suite.cluster.options.environment).topic('overlap')
    await suite.log.createTopic({ name: 'overlap', partitions: 1, retentionMs: null })
    const connect = connectTo(suite.cluster.options.brokers, 'test', {})
    const producers = ['first', 'second', 'third'].map((name) =>
      connect.kafka.producer({ transactionalId: `${topic}.${name}`, idempotent: true, maxInFlightRequests: 1 }),
    )
    const transactions = await Promise.all(
      producers.map(async (producer) => {
        await producer.connect()
        return await producer.transaction()
      }),
    )
    const [first, second, third] = transactions
    assert.ok(first && second && third)
    for (const turn of [1, 2]) {
      for (const [at, transaction] of transactions.entries()) {
        await transaction.send({ topic, messages: [{ key: 'k', value: `${at}:${turn}` }] })
      }
    }
    await second.abort()
    await third.commit()
    await first.abort()
    await suite.log.append('overlap', textRecords(['after'], 1))
    assert.deepEqual((await readAll(suite.log, 'overlap')).map(text), ['2:1', '2:2', 'after:0'])
    for (const producer of producers) await producer.disconnect()
    connect.close()
  })

  test('a handler that waits for three sessions keeps its lease, and gets each record once', async () => {
    await suite.log.append('in', textRecords(['slow'], 3))
    const done = Promise.withResolvers<number>()
    const membership = await suite.log.join({
      group: 'slow',
      topic: 'in',
      sessionMs,
      onError: done.reject,
      async onLease(lease) {
        const records = await lease.poll({ maxRecords: 100, maxWaitMs: 5_000 })
        await sleep(3 * sessionMs)
        if (lease.signal.aborted) done.reject(new Error('the lease was lost'))
        await commitCopy(lease, 'out', records)
        done.resolve(lease.epoch)
      },
    })
    assert.equal(await done.promise, 1)
    await membership.close()
    assert.equal((await readAll(suite.log, 'out')).length, 3)
  })

  test('taking a partition aborts the previous owner’s open transaction: it can’t be committed, and its records are never read', async (t) => {
    await suite.log.createTopic({ name: 'left-open', partitions: 1, retentionMs: null })
    const names = new KafkaNames(suite.cluster.options.environment)
    const connect = connectTo(suite.cluster.options.brokers, 'before', {})
    t.after(() => connect.close())
    const before = transactionalProducer(connect, names.transactionalId('taking', 'in', 0))
    await before.connect()
    const open = await before.transaction()
    const message = { key: 'k', value: Buffer.from('left open'), partition: 0, timestamp: '1' }
    await open.send({ topic: names.topic('left-open'), messages: [message] })
    await withLease(suite.cluster.options, 'taking', async (lease) => {
      await assert.rejects(open.commit(), 'the owner before is fenced')
      const [output] = textRecords(['k'], 1)
      assert.ok(output)
      await lease.commit({ outputs: [{ topic: 'left-open', record: output }], state: [], position: lease.position })
    })
    assert.deepEqual((await readAll(suite.log, 'left-open')).map(text), ['k:0'])
    await before.disconnect().catch(() => {})
  })

  test('while a handler waits for an answer no transaction is open, and readers of its outputs are not held up', async () => {
    await suite.log.createTopic({ name: 'waiting', partitions: 1, retentionMs: null })
    await withLease(suite.cluster.options, 'waiting', async (lease) => {
      const commit = (key: string) => {
        const outputs = textRecords([key], 1).map((record) => ({ topic: 'waiting', record }))
        return lease.commit({ outputs, state: [], position: lease.position })
      }
      await commit('a')
      // If the next transaction had begun, this record could not be read before its end.
      await sleep(500)
      await suite.log.append('waiting', textRecords(['b'], 1))
      assert.deepEqual((await readAll(suite.log, 'waiting')).map(text), ['a:0', 'b:0'])
      await commit('c')
    })
  })

  test('a new member gets a partition only after the handler of the current owner has returned', async (t) => {
    await suite.log.createTopic({ name: 'moving', partitions: 2, retentionMs: null })
    const events: string[] = []
    const join = async (name: string) => {
      const own = await openKafkaLog(suite.cluster.options)
      t.after(() => own.close())
      return await own.join({
        group: 'moving',
        topic: 'moving',
        sessionMs: 2 * sessionMs,
        onError: (error) => events.push(String(error)),
        async onLease({ partition, signal }) {
          events.push(`${name} starts ${partition}`)
          await untilAborted(signal)
          await sleep(1_500)
          events.push(`${name} ends ${partition}`)
        },
      })
    }
    const first = await join('first')
    await eventually(60_000, () => assert.deepEqual(first.heldPartitions, [0, 1]))
    const second = await join('second')
    await eventually(60_000, () => assert.equal(second.heldPartitions.length, 1))
    const [moved] = second.heldPartitions
    assert.deepEqual(first.heldPartitions, [1 - Number(moved)], 'what stays is not disturbed')
    assert.deepEqual(events.slice(2), [`first ends ${moved}`, `second starts ${moved}`])
  })

  test('a member that stops while the others are silent waits for them only a few seconds', async (t) => {
    await suite.log.createTopic({ name: 'joining', partitions: 1, retentionMs: null })
    const options = {
      group: 'joining',
      topic: 'joining',
      // Longer than the test may take: the join ends by the signal alone.
      sessionMs: 300_000,
      onError: assert.fail,
      onLease: async () => {},
    }
    await joinSilently(t, suite.cluster.options, options)
    const stop = new AbortController()
    const joining = suite.log.join({ ...options, signal: stop.signal })
    await sleep(500)
    stop.abort()
    assert.deepEqual((await joining).heldPartitions, [])
    const log = await openKafkaLog(suite.cluster.options)
    const closedJoin = log.join(options)
    await sleep(500)
    await log.close()
    assert.deepEqual((await closedJoin).heldPartitions, [], 'the close of the log ends a join too')
  })

  test('an output topic that another process deleted ends one lease; the next one refuses the commit, and continues', async (t) => {
    await suite.log.createTopic({ name: 'deleted', partitions: 1, retentionMs: null })
    const other = await openKafkaLog(suite.cluster.options)
    t.after(() => other.close())
    const outcomes: unknown[] = []
    const membership = await suite.log.join({
      group: 'deleted-output',
      topic: 'in',
      sessionMs,
      onError: (error) => outcomes.push(error),
      async onLease(lease) {
        const outputs = textRecords(['k'], 1).map((record) => ({ topic: 'deleted', record }))
        const commit = () => lease.commit({ outputs, state: [], position: 0 })
        if (lease.epoch === 1) {
          await commit()
          await other.deleteTopic('deleted')
          await commit()
        }
        await assert.rejects(commit(), (error) => isLoomlogError(error, 'topic-unknown'))
        await lease.commit({ outputs: [], state: [], position: 0 })
        outcomes.push(lease.epoch)
        await untilAborted(lease.signal)
      },
    })
    await eventually(60_000, () => assert.equal(outcomes.length, 2))
    await membership.close()
    assert.ok(isLoomlogError(outcomes[0], 'fenced'), String(outcomes[0]))
    assert.equal(outcomes[1], 2)
  })

  test('a group with members is not deleted, and continues', async () => {
    const committed = withLease(suite.cluster.options, 'busy', async (lease) => {
      await assert.rejects(suite.log.deleteGroup('busy'), (error) => isLoomlogError(error, 'group-in-use'))
      await lease.commit({ outputs: [], state: [], position: lease.position })
    })
    await committed
    await suite.log.deleteGroup('busy')
    assert.ok(!(await suite.log.groups()).some(({ group }) => group === 'busy'))
  })

  test('a session shorter than the brokers allow is refused at once', async () => {
    const onLease = async () => {}
    const joining = suite.log.join({ group: 'hasty', topic: 'in', sessionMs: 10, onLease, onError: () => {} })
    await assert.rejects(joining, (error) => isLoomlogError(error, 'config-invalid'))
  })

  test('an owner on another machine, or with a lost or old local copy, has the committed state', async (t) => {
    const write = (key: string, value: string | null) => ({ key, value: value === null ? null : Buffer.from(value) })
    const group = 'state'
    const commit = (options: KafkaLogOptions, state: ReturnType<typeof write>[]) =>
      withLease(options, group, (lease) => lease.commit({ outputs: [], state, position: lease.position }))
    const values = (options: KafkaLogOptions) =>
      withLease(options, group, (lease) =>
        lease.state.range('', 9).map(([key, value]) => `${key}=${Buffer.from(value)}`),
      )
    const elsewhere = { ...suite.cluster.options, stateDir: await mkdtemp(join(tmpdir(), 'loomlog-state-')) }
    t.after(() => rm(elsewhere.stateDir, { recursive: true, force: true }))

    await commit(suite.cluster.options, [write('a', '1'), write('b', '1'), write('c', '1')])
    await commit(elsewhere, [write('a', null), write('b', '2')])
    assert.deepEqual(await values(suite.cluster.options), ['b=2', 'c=1'])
    await rm(elsewhere.stateDir, { recursive: true })
    assert.deepEqual(await values(elsewhere), ['b=2', 'c=1'])
    await suite.log.deleteGroup(group)
    for (let times = 0; times < 9; times++) await commit(suite.cluster.options, [write('d', '1')])
    assert.deepEqual(await values(elsewhere), ['d=1'], 'the copy of a deleted group is not taken for the new one')
  })
})

/** Joins as a member that then answers nothing. */
async function joinSilently(
  t: TestContext,
  { brokers, environment }: KafkaLogOptions,
  { group, topic, sessionMs }: { readonly group: string; readonly topic: string; readonly sessionMs: number },
): Promise<void> {
  const names = new KafkaNames(environment)
  const connect = connectTo(brokers, 'silent', {})
  t.after(() => connect.close())
  const cluster = connect.cluster()
  await cluster.connect()
  const kafkaTopic = names.topic(topic)
  await cluster.addTargetTopic(kafkaTopic)
  const silent = new GroupMember({ cluster, groupId: names.group(group, topic), kafkaTopic, sessionMs })
  await eventually(30_000, async () => void (await silent.join({ owned: [], isLeaving: false })))
}

async function withLease<T>(
  options: KafkaLogOptions,
  group: string,
  work: (lease: Lease) => Promise<T> | T,
): Promise<T> {
  const log = await openKafkaLog(options)
  const done = Promise.withResolvers<T>()
  await log.join({
    group,
    topic: 'in',
    sessionMs: 2 * sessionMs,
    onError: done.reject,
    async onLease(lease) {
      done.resolve(await work(lease))
      await new Promise((resolve) => lease.signal.addEventListener('abort', resolve))
    },
  })
  return await done.promise.finally(() => log.close())
}
