/**
 * The floor: a bare loop with the same durability, by inserts with an fsync or by an idempotent producer. It checks no
 * ids, and no other process writes to its log. It batches as the intake does: records that arrive during a write go
 * into the next one.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type IntakeOptions, recordOf } from '@loomlog/intake/append'
import { partitionOfRecord } from '@loomlog/log/partition'
import type { NewRecord } from '@loomlog/log/port'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import kafkajs from 'kafkajs'

export interface BareLoop {
  /** Returns once the utterance is durable. */
  append(utterance: UtteranceAppended): Promise<void>
  /** The number of records of each durable write so far. */
  readonly batches: readonly number[]
  close(): Promise<void>
}

/** The same limit as the intake's. */
const mostOfABatch = 500

export function sqliteSide(dir: string, partitions: number, codec: IntakeOptions['codec']): BareLoop {
  const db = new DatabaseSync(join(dir, 'bare.db'))
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  db.exec(
    'create table records (part integer, offset integer, key text, value blob, primary key (part, offset)) without rowid',
  )
  const insert = db.prepare('insert into records values (?, ?, ?, ?)')
  const ends = Array.from({ length: partitions }, () => 0)
  const write = async (records: readonly NewRecord[]) => {
    db.exec('begin immediate')
    for (const record of records) {
      const part = partitionOfRecord(record, partitions)
      insert.run(part, ends[part] ?? 0, record.key, record.value)
      ends[part] = (ends[part] ?? 0) + 1
    }
    db.exec('commit')
  }
  return bare(write, codec, async () => db.close())
}

export async function producerSide(
  brokers: readonly string[],
  topic: string,
  partitions: number,
  codec: IntakeOptions['codec'],
): Promise<BareLoop> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING })
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1, allowAutoTopicCreation: false })
  await producer.connect()
  const write = async (records: readonly NewRecord[]) => {
    const messages = records.map((record) => ({
      key: record.key,
      value: Buffer.from(record.value),
      partition: partitionOfRecord(record, partitions),
    }))
    await producer.sendBatch({ topicMessages: [{ topic, messages }], acks: -1 })
  }
  return bare(write, codec, () => producer.disconnect())
}

function bare(
  write: (records: readonly NewRecord[]) => Promise<void>,
  codec: IntakeOptions['codec'],
  close: () => Promise<void>,
): BareLoop {
  const batches: number[] = []
  const waiting: { readonly record: NewRecord; done(): void }[] = []
  let state: 'idle' | 'writing' = 'idle'
  async function writeAll(): Promise<void> {
    state = 'writing'
    // The clients of one batch send their next records in the same turn of the event loop.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostOfABatch)
      batches.push(batch.length)
      await write(batch.map(({ record }) => record))
      for (const { done } of batch) done()
      await new Promise(setImmediate)
    }
    state = 'idle'
  }
  return {
    batches,
    append: (utterance) =>
      new Promise((done) => {
        waiting.push({ record: recordOf(utterance, codec), done })
        if (state === 'idle') void writeAll()
      }),
    close,
  }
}
