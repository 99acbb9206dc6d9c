/**
 * Copies a topic from one log to another, and checks every record. A record's schema has another id in another registry, so the id
 * in its header is translated; everything else stays byte for byte. The order of a key is kept, whatever the partitions are. A copy
 * that was interrupted goes on where it stopped, and one into a log that holds something else is refused.
 */
import { createHash } from 'node:crypto'
import { LoomlogError } from '@loomlog/errors'
import type { Log, LogRecord, NewRecord } from '@loomlog/log/port'
import { records as knownRecords } from '@loomlog/schemas/records'

export interface CopiedTopic {
  readonly topic: string
  /** In the target, each equal to its original. */
  readonly records: number
  /** How many of them were there before. */
  readonly before: number
}

export type Translate = (value: Uint8Array) => Promise<Uint8Array>

/** Digests of a key's records, in order. */
type Digests = ReadonlyMap<string, readonly string[]>

const batchRecords = 500
const headerBytes = 5
/** Given to no schema: what had no schema in the source has none in the target. */
const noSchema = 0

export async function copyTopic(topic: string, from: Log, to: Log, translate: Translate): Promise<CopiedTopic> {
  const partitions = (await to.endOffsets(topic)).length
  const present = await digestsOf(to, topic)
  const copied = new Map<string, string[]>()
  let batch: NewRecord[] = []
  const flush = async () => {
    if (batch.length > 0) await to.append(topic, batch)
    batch = []
  }
  for await (const records of from.read({ topic, until: 'end' })) {
    for (const record of records) {
      const moved = await movedRecord(record, partitions, translate)
      const order = orderKey(moved)
      const digests = copied.get(order) ?? []
      const there = present.get(order)?.[digests.length]
      const digest = digestOf(moved)
      if (there !== undefined && there !== digest) throw differs(topic, order)
      copied.set(order, digests)
      digests.push(digest)
      if (there === undefined) batch.push(moved)
      if (batch.length === batchRecords) await flush()
    }
  }
  await flush()
  check(topic, copied, await digestsOf(to, topic))
  return { topic, records: count(copied), before: count(present) }
}

/** Swaps schema ids for those of the target, where schemas are registered when they are first met. */
export function translator(from: Log, to: Log): Translate {
  const ids = new Map<number, Promise<number>>()
  async function inTarget(id: number): Promise<number> {
    try {
      const text = await from.schemas.schema(id)
      const { namespace, name } = JSON.parse(text) as { namespace?: string; name: string }
      const fullName = namespace === undefined || name.includes('.') ? name : `${namespace}.${name}`
      const known = knownRecords.find((record) => record.fullName === fullName)
      return await to.schemas.register(fullName, text, known?.compatibility ?? 'BACKWARD_TRANSITIVE')
    } catch (error) {
      if (error instanceof LoomlogError && error.code === 'schema-unknown') return noSchema
      throw error
    }
  }
  return async (value) => {
    const bytes = Buffer.from(value)
    if (bytes.length < headerBytes || bytes.readUInt8(0) !== 0) return value
    const id = bytes.readInt32BE(1)
    const translated = ids.get(id) ?? inTarget(id)
    ids.set(id, translated)
    bytes.writeInt32BE(await translated, 1)
    return bytes
  }
}

async function movedRecord(record: LogRecord, partitions: number, translate: Translate): Promise<NewRecord> {
  const { key, timestamp, partition } = record
  const value = await translate(record.value)
  return key === null ? { key, value, timestamp, partition: partition % partitions } : { key, value, timestamp }
}

async function digestsOf(log: Log, topic: string): Promise<Digests> {
  const digests = new Map<string, string[]>()
  for await (const records of log.read({ topic, until: 'end' })) {
    for (const record of records) {
      const order = orderKey(record)
      const of = digests.get(order)
      if (of) of.push(digestOf(record))
      else digests.set(order, [digestOf(record)])
    }
  }
  return digests
}

/** Within what a record's order means something: its key, or the partition that it names. */
function orderKey({ key, partition }: Pick<NewRecord, 'key' | 'partition'>): string {
  return key ?? `\0${partition}`
}

function digestOf({ value, timestamp }: Pick<NewRecord, 'value' | 'timestamp'>): string {
  return createHash('sha256').update(`${timestamp}:`).update(value).digest('base64')
}

/** @throws LoomlogError `log-corrupt` */
function check(topic: string, copied: Digests, found: Digests): void {
  for (const [order, digests] of copied) {
    const there = found.get(order) ?? []
    const wrong = digests.findIndex((digest, at) => there[at] !== digest)
    if (wrong !== -1) {
      throw new LoomlogError('log-corrupt', `${topic}: record ${wrong} of ${name(order)} is another one in the target`)
    }
    if (there.length > digests.length) throw differs(topic, order)
  }
  for (const order of found.keys()) if (!copied.has(order)) throw differs(topic, order)
}

function differs(topic: string, order: string): LoomlogError {
  const message = `${topic}: the target holds records of ${name(order)} that are not in the source: copy into a log of its own`
  return new LoomlogError('input-invalid', message)
}

function name(order: string): string {
  return order.startsWith('\0') ? `partition ${order.slice(1)}` : order
}

function count(digests: Digests): number {
  return [...digests.values()].reduce((total, each) => total + each.length, 0)
}
