/** Encryption on a real Kafka. Where there is none it is skipped, but not in CI. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipReason, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { type Adapter, contractSuite } from '../contract/suite.ts'
import { type KafkaLogOptions, openKafkaLog } from '../kafka/adapter.ts'
import type { Log, LogRecord } from '../port.ts'
import { localKey } from './key-encryption.ts'
import { logKeysOf, openSealed } from './open.ts'

const adapter: Adapter = {
  opener: new URL('kafka-contract-adapter.ts', import.meta.url).href,
  async fresh() {
    const { options, stop } = await testingCluster()
    return { argument: JSON.stringify(options), remove: stop }
  },
  features: { sessionMs: 2_000, settleMs: 60_000, erases: false },
}

const skip = await skipReason()
if (skip === null) contractSuite('kafka, encrypted', adapter, ['append', 'read', 'commit'])
else test('the Log contract, kafka, encrypted', { skip })

const [key, another] = [localKey(Buffer.alloc(32, 'one')), localKey(Buffer.alloc(32, 'another'))]

function opened(options: KafkaLogOptions, by = key): Promise<Log> {
  return openKafkaLog(options).then((log) => openSealed(log, { ofNewLogs: 'on', keyEncryption: async () => by }))
}

function record(space: string, text: string) {
  const headers = { words: text }
  return { key: space, value: Buffer.concat([Buffer.from([0, 0, 0, 0, 99]), Buffer.from(text)]), timestamp: 1, headers }
}

async function textsOf(log: Pick<Log, 'read'>): Promise<readonly string[]> {
  const found: LogRecord[] = []
  for await (const batch of log.read({ topic: 'words', until: 'end' })) found.push(...batch)
  return found.map(({ value }) => Buffer.from(value.subarray(5)).toString())
}

test('processes share keys, a destroyed one is gone for all, and another key-encryption key takes over', async (t) => {
  if (skip !== null) return t.skip(skip)
  const { options, stop } = await testingCluster()
  t.after(stop)
  const logs = await Promise.all([opened(options), opened(options)])
  const [one, two] = logs
  assert.ok(one && two)
  await one.createTopic({ name: 'words', partitions: 1, retentionMs: null })
  await Promise.all(
    logs.map((log) => log.append('words', [record('acme/maya', 'before'), record('acme/ben', 'other')])),
  )
  const all = ['before', 'before', 'other', 'other']
  for (const log of logs) assert.deepEqual((await textsOf(log)).toSorted(), all)
  const raw = await openKafkaLog(options)
  t.after(() => raw.close())
  assert.ok((await textsOf(raw)).every((text) => !/before|other/.test(text)))
  assert.deepEqual(await raw.topics(), await one.topics(), 'the topic of the keys is not listed')

  await one.sealing?.rotate('acme/maya')
  await two.append('words', [record('acme/maya', 'between')])
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  await two.append('words', [record('acme/maya', 'after')])
  assert.ok(((await one.sealing?.destroyRetired('acme/maya')) ?? 0) >= 1)
  // `between` has the retired key, unless this machine took longer than a process may use it.
  const later = async (log: Log) => (await textsOf(log)).filter((text) => text !== 'between').toSorted()
  assert.deepEqual(await later(one), ['after', 'other', 'other'])
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  await two.append('words', [record('acme/maya', 'later')])
  assert.deepEqual(await later(two), ['after', 'later', 'other', 'other'])
  for (const log of logs) await log.close()

  const logKeys = await logKeysOf(raw, { ofNewLogs: 'off', keyEncryption: async () => key })
  await logKeys?.encryptLogKeyBy(another)
  await assert.rejects(opened(options, key), { code: 'key-unavailable' })
  const again = await opened(options, another)
  assert.deepEqual(await later(again), ['after', 'later', 'other', 'other'])
  await again.close()
})
