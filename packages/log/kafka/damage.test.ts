/**
 * A batch that is damaged on the broker's disk: one record with the reason replaces its records; its neighbours are
 * read.
 */
import assert from 'node:assert/strict'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { type LocalKafka, startLocalKafka } from '@loomlog/kafka-local/kafka-local'
import { testRunKafka } from '@loomlog/kafka-local/test-run-kafka'
import { localKafkaSkipReason } from '@loomlog/kafka-local/testing-cluster'
import { readAll, text, textRecords } from '../contract/records.ts'
import type { Lease, Log } from '../port.ts'
import { unreadableReason } from '../unreadable-value.ts'
import { openKafkaLog } from './adapter.ts'
import { KafkaNames } from './names.ts'

const skip = (await localKafkaSkipReason()) ?? false
const environment = 'damaged'

test('every reader gets the reason for a damaged batch, and damaged state ends its lease', { skip }, async (t) => {
  const { brokers, registryUrl, dir, stop } = await brokerWithFiles()
  const stateDir = await mkdtemp(join(tmpdir(), 'loomlog-state-'))
  const log = await openKafkaLog({ brokers, registry: { url: registryUrl }, environment, stateDir })
  t.after(async () => {
    await log.close()
    await stop()
    await rm(stateDir, { recursive: true, force: true })
  })
  await log.createTopic({ name: 'in', partitions: 1, retentionMs: null })
  for (const key of ['before', 'rotten', 'after']) await log.append('in', textRecords([key], 2))
  const names = new KafkaNames(environment)
  await changeByte(join(dir, 'data-1', `${names.topic('in')}-0`), 'rotten:1')
  const place = /^in\/0, offsets 2 to 3: .*checksum differs/
  const isNamed = (value: Uint8Array) => place.test(unreadableReason(value) ?? '')

  const read = await readAll(log, 'in')
  assert.deepEqual(
    read.map(({ offset }) => offset),
    [0, 1, 2, 4, 5],
  )
  assert.ok(isNamed(read[2]?.value ?? new Uint8Array()))
  assert.deepEqual(read.filter(({ offset }) => offset !== 2).map(text), ['before:0', 'before:1', 'after:0', 'after:1'])

  await leaseOf(log, async (lease) => {
    const polled = await lease.poll({ maxRecords: 10, maxWaitMs: 5_000 })
    assert.deepEqual(
      polled.map(({ offset }) => offset),
      [0, 1, 2, 4, 5],
    )
    assert.ok(polled.some(({ value }) => isNamed(value)))
    await lease.commit({ outputs: [], state: [{ key: 'k', value: Buffer.from('precious state') }], position: 6 })
  })
  await changeByte(join(dir, 'data-1', `${names.changelog('readers', 'in')}-0`), 'precious')
  await rm(stateDir, { recursive: true })
  await assert.rejects(
    leaseOf(log, async () => {}),
    (error) => isLoomlogError(error, 'log-corrupt') && /checksum differs; restore that topic/.test(error.message),
  )
})

/** The broker that the test run shares, if its files are on this machine; otherwise one for this test. */
async function brokerWithFiles(): Promise<Pick<LocalKafka, 'brokers' | 'registryUrl' | 'dir' | 'stop'>> {
  const shared = await testRunKafka()
  const { dir = null } = shared ?? {}
  return shared === null || dir === null ? await startLocalKafka() : { ...shared, dir, stop: async () => {} }
}

/** Changes the first byte of `found` in the partition's only segment. */
async function changeByte(folder: string, found: string): Promise<void> {
  const file = await open(join(folder, `${'0'.repeat(20)}.log`), 'r+')
  const at = (await file.readFile()).indexOf(found)
  assert.ok(at > 0, `${found} is in ${folder}`)
  await file.write('X', at)
  await file.close()
}

/** Holds the partition for the work, and gives it up again. */
async function leaseOf(log: Log, work: (lease: Lease) => Promise<void>): Promise<void> {
  const done = Promise.withResolvers<void>()
  const onLease = async (lease: Lease) => {
    await work(lease)
    done.resolve()
  }
  const membership = await log.join({ group: 'readers', topic: 'in', sessionMs: 2_000, onLease, onError: done.reject })
  await done.promise.finally(() => membership.close())
}
