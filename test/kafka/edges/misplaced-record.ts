/**
 * A record that a producer with another partitioner wrote: parked whole with the reason, instead of lost in silence.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { LogRecord } from '@loomlog/log/port'
import { assertSucceeded } from '../../cli/fixture.ts'
import type { EdgeCluster } from './edge-cluster.ts'

const partitions = 2

export function testMisplacedRecord(place: () => EdgeCluster): void {
  test('a record in a partition that its key does not belong to is parked whole, with both partitions', async () => {
    const { environment, files, openLog, plain, run } = place()
    const name = `${environment.LOOMLOG_KAFKA_ENVIRONMENT}-misplaced`
    const changed = {
      LOOMLOG_KAFKA_ENVIRONMENT: name,
      LOOMLOG_PARTITIONS: String(partitions),
      LOOMLOG_DIR: join(files.folder, 'misplaced'),
    }
    const said = { conversation: 'c', speaker: 'Ann', at: '2026-03-02T09:00:00Z', text: 'The boat needs a new engine.' }
    const file = await files.file('misplaced.jsonl', JSON.stringify(said))
    assertSucceeded(await run(['ingest', file], changed))
    const { key, value, partition } = await firstUtterance(await openLog({ environment: name }))
    const wrong = (partition + 1) % partitions
    const producer = plain.producer()
    await producer.connect()
    await producer.send({
      topic: `${name}.utterances`,
      messages: [{ key, value: Buffer.from(value), partition: wrong }],
    })
    await producer.disconnect()
    assertSucceeded(await run(['ingest', file], changed))
    const { stdout } = await run(['parked', 'list', '--json'], changed)
    assert.match(
      stdout,
      new RegExp(`belongs to partition ${partition} of [^ ]+, and was read from ${wrong}: .*murmur2`),
    )
  })
}

async function firstUtterance(log: Awaited<ReturnType<EdgeCluster['openLog']>>): Promise<LogRecord> {
  try {
    for await (const [record] of log.read({ topic: 'utterances', until: 'end' })) if (record) return record
    throw new Error('the log has no utterance')
  } finally {
    await log.close()
  }
}
