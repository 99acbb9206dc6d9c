/**
 * For tests: a record in a partition that its key doesn't belong to, as a foreign producer with another partitioner
 * writes it on Kafka. The port can't write one, so the key is put under a record without a key, in the file itself.
 * Before any reader comes to it.
 */
import { join } from 'node:path'
import type { Log, NewRecord } from '../port.ts'
import { recordChecksum } from './checksum.ts'
import { DatabaseSync } from './node-sqlite.ts'

type KeyedRecord = NewRecord & { readonly key: string }

export async function appendMisplaced(
  { log, dir }: { readonly log: Log; readonly dir: string },
  { topic, partition }: { readonly topic: string; readonly partition: number },
  record: KeyedRecord,
): Promise<void> {
  const [position] = await log.append(topic, [{ ...record, key: null, partition }])
  if (position === undefined) throw new Error('an append returned no position')
  const file = new DatabaseSync(join(dir, 'log.db'))
  const { offset } = position
  const { id } = file.prepare('select id from topics where name = ?').get(topic) as { id: number }
  file
    .prepare('update records set key = ?, checksum = ? where topic = ? and partition = ? and offset = ?')
    .run(record.key, recordChecksum(id, partition, offset, record), id, partition, offset)
  file.close()
}
