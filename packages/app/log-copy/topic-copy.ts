/**
 * Copies a topic from one log to another, and compares the two. A schema has another id in another registry, so the id in a record's header
 * is translated; everything else stays byte for byte. The order of a key is kept for any number of partitions. An interrupted copy
 * resumes, and a target that holds other records is refused. One digest a key is held in memory: that of its records so far, as a chain.
 */
import { createHash } from 'node:crypto'
import { LoomlogError } from '@loomlog/errors'
import type { Log, LogRecord, NewRecord } from '@loomlog/log/port'
import { records as knownRecords } from '@loomlog/schemas/records'

export interface CopiedTopic {
  readonly topic: string
  /** In the target, each equal to its original. */
  readonly records: number
  /** Those of them that were in the target before. */
  readonly before: number
}

export interface TopicToCopy {
  readonly topic: string
  /** Log time of the oldest record to copy: older ones are past the topic's retention. Default: all. */
  readonly keptFrom?: number
}

export type Translate = (value: Uint8Array) => Promise<Uint8Array>

/** The records of a key so far: their number, and the digest of the one before with each record. */
interface Chain {
  readonly records: number
  readonly digest: string
}

type Chains = Map<string, Chain>

const batchRecords = 500
const headerBytes = 5
/** Given to no schema: a record whose schema is unknown in the source has an unknown one in the target. */
const noSchema = 0
const noRecords: Chain = { records: 0, digest: '' }

/** @throws LoomlogError `input-invalid` where the target holds other records; `log-corrupt` where the copy differs from its original */
export async function copyTopic(
  { topic, keptFrom = 0 }: TopicToCopy,
  from: Log,
  to: Log,
  translate: Translate,
): Promise<CopiedTopic> {
  const partitions = (await to.endOffsets(topic)).length
  const present = await chainsOf(to, topic)
  const copied: Chains = new Map()
  let batch: NewRecord[] = []
  const flush = async () => {
    if (batch.length > 0) await to.append(topic, batch)
    batch = []
  }
  for await (const records of from.read({ topic, until: 'end' })) {
    for (const record of records) {
      if (record.timestamp < keptFrom) continue
      const moved = await movedRecord(record, partitions, translate)
      const order = orderKey(moved)
      const chain = extended(copied.get(order), moved)
      copied.set(order, chain)
      const there = present.get(order) ?? noRecords
      if (chain.records === there.records && chain.digest !== there.digest) throw otherRecords(topic, order)
      if (chain.records > there.records) batch.push(moved)
      if (batch.length === batchRecords) await flush()
    }
  }
  await flush()
  compare(topic, copied, await chainsOf(to, topic))
  return { topic, records: total(copied), before: total(present) }
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
  const { key, partition, timestamp, traceparent } = record
  const moved = { key, value: await translate(record.value), timestamp, ...(traceparent && { traceparent }) }
  return key === null ? { ...moved, partition: partition % partitions } : moved
}

async function chainsOf(log: Log, topic: string): Promise<Chains> {
  const chains: Chains = new Map()
  for await (const records of log.read({ topic, until: 'end' })) {
    for (const record of records) chains.set(orderKey(record), extended(chains.get(orderKey(record)), record))
  }
  return chains
}

function extended(chain: Chain | undefined, { value, timestamp }: Pick<NewRecord, 'value' | 'timestamp'>): Chain {
  const { records, digest } = chain ?? noRecords
  const hash = createHash('sha256').update(`${digest}:${timestamp}:`).update(value)
  return { records: records + 1, digest: hash.digest('base64') }
}

/** The order of records matters within this: their key, or the partition that they name. */
function orderKey({ key, partition }: Pick<NewRecord, 'key' | 'partition'>): string {
  return key ?? `\0${partition}`
}

function compare(topic: string, copied: Chains, found: Chains): void {
  for (const [order, { records, digest }] of found) {
    const original = copied.get(order) ?? noRecords
    if (records > original.records) throw otherRecords(topic, order)
    if (digest !== original.digest) {
      throw new LoomlogError(
        'log-corrupt',
        `${topic}: the records of ${name(order)} differ from their originals in the target`,
      )
    }
  }
  for (const order of copied.keys()) {
    if (!found.has(order))
      throw new LoomlogError('log-corrupt', `${topic}: the records of ${name(order)} are missing in the target`)
  }
}

function otherRecords(topic: string, order: string): LoomlogError {
  const message = `${topic}: the target holds records of ${name(order)} that are not in the source: copy into a log of its own`
  return new LoomlogError('input-invalid', message)
}

function name(order: string): string {
  return order.startsWith('\0') ? `partition ${order.slice(1)}` : order
}

function total(chains: Chains): number {
  return [...chains.values()].reduce((sum, { records }) => sum + records, 0)
}
