/**
 * Copies a topic from one log to another, and compares the two. The schema id in a record's header is translated;
 * everything else stays byte for byte. The order of a key is kept for any number of partitions. An interrupted copy
 * resumes. Memory holds one chained digest a key.
 *
 * A log is append-only, so a target with records of its own must be refused before the first append: `checkTarget` does
 * that, and `copyTopic` needs its result.
 */
import { createHash } from 'node:crypto'
import { LoomlogError } from '@loomlog/errors'
import { misplacementOf } from '@loomlog/log/partition'
import type { Log, LogRecord, NewRecord } from '@loomlog/log/port'
import type { SchemaIdTranslator } from './schema-ids.ts'

export interface CopiedTopic {
  readonly topic: string
  /** Records in the target; each equals its original. */
  readonly records: number
  /** Records that were in the target before. */
  readonly before: number
  /**
   * Records of the source in a wrong partition. Its readers parked them, and in the target their key would admit them,
   * so they are not copied.
   */
  readonly misplaced: number
}

export interface TopicToCopy {
  readonly topic: string
  /** Log time of the oldest record to copy and to compare: older ones are past the topic's retention. Default: all. */
  readonly keptFrom?: number
  /** Of the source: a record in another partition than its key's is misplaced. Default: no record is. */
  readonly partitions?: number
}

/** The two logs, and the translation of schema ids between them. */
export interface LogPair {
  readonly from: Log
  readonly to: Log
  readonly translate: SchemaIdTranslator
}

/** The records of a key so far: their number, and a digest of the previous digest and the last record. */
interface RecordChain {
  readonly records: number
  readonly digest: string
}

/** Of every key. */
export type PresentRecords = ReadonlyMap<string, RecordChain>

const batchRecords = 500
const noRecords: RecordChain = { records: 0, digest: '' }

/**
 * The records of a topic that the target has already. Appends nothing, but may register schemas of the source in the
 * target: records are compared under the target's schema ids.
 * @throws LoomlogError `input-invalid` unless they are the beginning of the source's records, key by key
 */
export async function checkTarget(topic: TopicToCopy, pair: LogPair): Promise<PresentRecords> {
  const present = await chainsOf(pair.to, topic)
  const unmatched = new Map(present)
  const originals = new Map<string, RecordChain>()
  // An empty target needs no pass over the source.
  if (unmatched.size === 0) return present
  for await (const record of movedRecords(topic, pair)) {
    const order = orderKey(record)
    const chain = extended(originals.get(order), record)
    originals.set(order, chain)
    const there = unmatched.get(order)
    if (chain.records !== there?.records) continue
    if (chain.digest !== there.digest) throw otherRecords(topic, order)
    unmatched.delete(order)
    if (unmatched.size === 0) return present
  }
  const [other = ''] = unmatched.keys()
  throw otherRecords(topic, other)
}

/**
 * @param present the result of `checkTarget`
 * @throws LoomlogError `input-invalid`, `log-corrupt` where the copy differs from its original
 */
export async function copyTopic(topic: TopicToCopy, present: PresentRecords, pair: LogPair): Promise<CopiedTopic> {
  const { to } = pair
  const copied = new Map<string, RecordChain>()
  let batch: NewRecord[] = []
  const flush = async () => {
    if (batch.length > 0) await to.append(topic.topic, batch)
    batch = []
  }
  let misplaced = 0
  const onMisplaced = () => {
    misplaced += 1
  }
  for await (const record of movedRecords(topic, pair, onMisplaced)) {
    const order = orderKey(record)
    const chain = extended(copied.get(order), record)
    copied.set(order, chain)
    if (chain.records > (present.get(order) ?? noRecords).records) batch.push(record)
    if (batch.length === batchRecords) await flush()
  }
  await flush()
  compare(topic, copied, await chainsOf(to, topic))
  return { topic: topic.topic, records: total(copied), before: total(present), misplaced }
}

/** The records of the source, as the target holds them. Without misplaced ones. */
async function* movedRecords(
  { topic, keptFrom = 0, partitions: own }: TopicToCopy,
  { from, to, translate }: LogPair,
  onMisplaced = () => {},
): AsyncGenerator<NewRecord> {
  const partitions = (await to.endOffsets(topic)).length
  for await (const records of from.read({ topic, until: 'end' })) {
    for (const record of records) {
      if (record.timestamp < keptFrom) continue
      if (own !== undefined && misplacementOf(record, own) !== null) onMisplaced()
      else yield movedRecord(record, partitions, translate)
    }
  }
}

async function movedRecord(record: LogRecord, partitions: number, translate: SchemaIdTranslator): Promise<NewRecord> {
  const { key, partition, timestamp, traceparent } = record
  const moved = { key, value: await translate(record.value), timestamp, ...(traceparent && { traceparent }) }
  return key === null ? { ...moved, partition: partition % partitions } : moved
}

async function chainsOf(log: Log, { topic, keptFrom = 0 }: TopicToCopy): Promise<PresentRecords> {
  const chains = new Map<string, RecordChain>()
  for await (const records of log.read({ topic, until: 'end' })) {
    for (const record of records) {
      if (record.timestamp < keptFrom) continue
      chains.set(orderKey(record), extended(chains.get(orderKey(record)), record))
    }
  }
  return chains
}

function extended(
  chain: RecordChain | undefined,
  { value, timestamp }: Pick<NewRecord, 'value' | 'timestamp'>,
): RecordChain {
  const { records, digest } = chain ?? noRecords
  const hash = createHash('sha256').update(`${digest}:${timestamp}:`).update(value)
  return { records: records + 1, digest: hash.digest('base64') }
}

/** The order of records matters within this: their key, or the partition that they name. */
function orderKey({ key, partition }: Pick<NewRecord, 'key' | 'partition'>): string {
  return key ?? `\0${partition}`
}

function compare(topic: TopicToCopy, copied: PresentRecords, found: PresentRecords): void {
  for (const [order, { records, digest }] of found) {
    const original = copied.get(order) ?? noRecords
    if (records > original.records) throw otherRecords(topic, order)
    if (digest !== original.digest) throw corrupt(topic, order, 'differ from their originals in the target')
  }
  for (const order of copied.keys()) if (!found.has(order)) throw corrupt(topic, order, 'are missing in the target')
}

function corrupt({ topic }: TopicToCopy, order: string, fault: string): LoomlogError {
  return new LoomlogError('log-corrupt', `${topic}: the records of ${name(order)} ${fault}`)
}

function otherRecords({ topic }: TopicToCopy, order: string): LoomlogError {
  const message = `${topic}: the target holds records of ${name(order)} that are not in the source: copy into a log of its own`
  return new LoomlogError('input-invalid', message)
}

function name(order: string): string {
  return order.startsWith('\0') ? `partition ${order.slice(1)}` : order
}

function total(chains: PresentRecords): number {
  return [...chains.values()].reduce((sum, { records }) => sum + records, 0)
}
