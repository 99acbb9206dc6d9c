/** A broker that dies while an owner commits. Too slow for every test run: the fault campaign runs it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLocalKafka } from '@loomlog/kafka-local/kafka-local'
import { skipReason } from '@loomlog/kafka-local/testing-cluster'
import { eventually, readAll, text, textRecords } from '../contract/records.ts'
import { commitCopy, countOf } from '../contract/roles.ts'
import { openKafkaLog } from './adapter.ts'

const skip = (await skipReason()) ?? false

describe('a broker that is killed', { skip, timeout: 600_000 }, () => {
  test('loses nothing: the owner stops, takes its partition again, and each record is copied once', async (t) => {
    const kafka = await startLocalKafka()
    const stateDir = await mkdtemp(join(tmpdir(), 'loomlog-state-'))
    const log = await openKafkaLog({
      brokers: kafka.brokers,
      registry: { url: kafka.registryUrl },
      environment: 'killed',
      stateDir,
    })
    t.after(async () => {
      await log.close()
      await kafka.stop()
      await rm(stateDir, { recursive: true, force: true })
    })
    for (const name of ['in', 'out']) await log.createTopic({ name, partitions: 1, retentionMs: null })
    await log.append('in', textRecords(['k'], 200))
    const errors: unknown[] = []
    let copied = 0
    const done = Promise.withResolvers<void>()
    const membership = await log.join({
      group: 'copiers',
      topic: 'in',
      onError: (error) => errors.push(error),
      async onLease(lease) {
        while (!lease.signal.aborted) {
          await commitCopy(lease, 'out', await lease.poll({ maxRecords: 3, maxWaitMs: 200 }))
          copied = countOf(lease)
          if (copied === 200) done.resolve()
        }
      },
    })
    await eventually(60_000, () => assert.ok(copied > 0))
    await kafka.kill9()
    assert.ok(copied < 200, `the broker died after ${copied} of 200 records`)
    await sleep(1_000)
    await kafka.restart()
    const restartedAt = performance.now()
    await done.promise
    t.diagnostic(`went on ${Math.round(performance.now() - restartedAt)} ms after the broker was back`)
    await membership.close()
    t.diagnostic(`told of: ${errors.map(String).join('; ')}`)
    assert.deepEqual((await readAll(log, 'out')).map(text), (await readAll(log, 'in')).map(text))
  })
})
