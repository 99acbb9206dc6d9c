/**
 * Takes a partition: fences the previous owner, brings the local state up to the changelog's end, compares the input
 * with the one that was read, and announces the new epoch. The order matters: an owner that is not fenced can still add
 * to the changelog.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { KeyStore } from '../encryption/key-store.ts'
import { restore } from './changelog.ts'
import type { Connect } from './driver.ts'
import { toLogError } from './failures.ts'
import { type LeaseInput, resumeCheckpoint } from './input-continuity.ts'
import { KafkaLease, type LeaseParts } from './lease.ts'
import type { KafkaNames } from './names.ts'
import { LocalState } from './state.ts'
import { TopicReader } from './topic-reader.ts'
import type { KafkaTopics } from './topics.ts'
import { transactionalProducer } from './wire/transactional-producer.ts'

export interface TakeOptions {
  readonly connect: Connect
  readonly names: KafkaNames
  readonly topics: KafkaTopics
  readonly keys: KeyStore
  readonly log: LeaseInput['log']
  readonly stateDir: string
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly owner: string
  /** Aborts when the partition is to be given up again. */
  readonly revoked: AbortSignal
}

export async function takeLease(options: TakeOptions): Promise<KafkaLease> {
  const { names, group, topic, partition } = options
  const producer = transactionalProducer(options.connect, names.transactionalId(group, topic, partition))
  const closing: (() => unknown)[] = [() => producer.disconnect()]
  try {
    await producer.connect()
    const fence = await producer.transaction()
    await fence.abort()
    const local = new LocalState(localFile(options), options.connect.notice)
    closing.push(() => local.close())
    const changelog = await TopicReader.open(options.connect, names.changelog(group, topic), `changelog of ${group}`)
    const before = await restore(changelog, partition, local).finally(() => changelog.close())
    const reader = await TopicReader.open(options.connect, names.topic(topic), topic)
    closing.push(() => reader.close())
    const input = await resumeCheckpoint({ ...options, reader }, before?.input)
    const parts: LeaseParts = { ...options, producer, reader, local }
    const record = {
      incarnation: before?.incarnation ?? randomUUID(),
      epoch: (before?.epoch ?? 0) + 1,
      position: before?.position ?? 0,
      owner: options.owner,
      input,
    }
    const lease = new KafkaLease(parts, record, options.revoked)
    await lease.announce()
    return lease
  } catch (error) {
    for (const close of closing) await (async () => close())().catch(() => {})
    throw toLogError(
      error,
      `taking partition ${partition} of ${topic}`,
      { operation: 'WRITE', kind: 'transactional id', names: [names.transactionalId(group, topic, partition)] },
      { operation: 'READ', kind: 'topic', names: [names.topic(topic), names.changelog(group, topic)] },
    )
  }
}

function localFile({ stateDir, names, group, topic, partition }: TakeOptions): string {
  return join(stateDir, names.group(group, topic), `${partition}.db`)
}
