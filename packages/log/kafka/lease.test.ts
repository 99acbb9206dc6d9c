/**
 * A lease whose producer fails: once a commit has begun, every failure leaves its outcome unknown, and that producer is
 * not used again.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { Producer, Transaction } from 'kafkajs'
import type { KeyStore } from '../encryption/key-store.ts'
import { KafkaLease } from './lease.ts'
import { KafkaNames } from './names.ts'
import { LocalState } from './state.ts'
import type { TopicReader } from './topic-reader.ts'
import type { KafkaTopics } from './topics.ts'

type Request = 'transaction' | 'sendBatch' | 'sendOffsets' | 'commit'

function leaseWhose(t: TestContext, failing: Request | null) {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-lease-'))
  const local = new LocalState(join(dir, '0.db'), assert.fail)
  t.after(() => {
    local.close()
    rmSync(dir, { recursive: true })
  })
  const asked: Request[] = []
  const request = async <T>(name: Request, answer: T): Promise<T> => {
    asked.push(name)
    if (name === failing) throw new Error(`${name}: the connection was lost`)
    return answer
  }
  const batch = ({ topicMessages }: Parameters<Producer['sendBatch']>[0]) =>
    (topicMessages ?? []).map(({ topic }) => ({ topicName: topic, partition: 0, baseOffset: '7', errorCode: 0 }))
  const transaction = {
    sendBatch: (sent: Parameters<Producer['sendBatch']>[0]) => request('sendBatch', batch(sent)),
    sendOffsets: () => request('sendOffsets', undefined),
    commit: () => request('commit', undefined),
  } as unknown as Transaction
  const producer = { transaction: () => request('transaction', transaction) } as unknown as Producer
  const names = new KafkaNames('test')
  const topics = { partitions: async () => 1, forget() {} } as unknown as KafkaTopics
  const keys = { logKey: () => null } as unknown as KeyStore
  const parts = {
    names,
    topics,
    keys,
    group: 'g',
    topic: 'in',
    partition: 0,
    producer,
    reader: {} as TopicReader,
    local,
  }
  const input = { log: 'l', offset: 0, last: null }
  const record = { incarnation: 'i', epoch: 1, position: 0, owner: 'o', input }
  return { lease: new KafkaLease(parts, record, new AbortController().signal), local, asked }
}

const commit = { outputs: [], state: [{ key: 'k', value: Buffer.from('v') }], position: 5 }

for (const failing of ['transaction', 'sendBatch', 'sendOffsets', 'commit'] as const) {
  test(`a commit that fails at ${failing} ends the lease: the producer is never used again, and the local copy is not written`, async (t) => {
    const { lease, local, asked } = leaseWhose(t, failing)
    const fenced = (error: unknown) => isLoomlogError(error, 'fenced')
    await assert.rejects(lease.commit(commit), fenced)
    assert.ok(lease.signal.aborted)
    const before = [...asked]
    await assert.rejects(lease.commit(commit), fenced)
    assert.deepEqual(asked, before, 'nothing is tried again, neither whole nor in part')
    assert.deepEqual([local.mark, local.get('k')], [null, null])
  })
}

test('a commit begins its transaction when all records are ready, and writes the local copy when its outcome is known', async (t) => {
  const { lease, local, asked } = leaseWhose(t, null)
  await lease.commit(commit)
  assert.deepEqual(asked, ['transaction', 'sendBatch', 'sendOffsets', 'commit'])
  // The changelog's records are the state and, after it, the lease record.
  assert.deepEqual(
    [local.mark?.leaseOffset, local.mark?.next, Buffer.from(local.get('k') ?? []).toString()],
    [8, 9, 'v'],
  )
})
