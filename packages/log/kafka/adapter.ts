/**
 * The Log on Kafka, for more than one machine. An acknowledged record is as durable as the replication: every topic has the configured
 * number of copies, by default the cluster's, and every write waits for all copies that are in sync. This file puts the parts together.
 */
import { hostname } from 'node:os'
import { crashPoint } from '../crash-points.ts'
import { partitionOfRecord } from '../partition.ts'
import type { JoinOptions, Log, Membership, NewRecord, Position } from '../port.ts'
import { checkRecordSize } from '../record-size.ts'
import { Appender } from './append.ts'
import { connectTo, type Security } from './driver.ts'
import { toLogError } from './failures.ts'
import { KafkaGroups } from './groups.ts'
import { KafkaMembership } from './membership.ts'
import { KafkaNames } from './names.ts'
import { checkReachable } from './reachability.ts'
import { readTopic } from './read.ts'
import { ReaderPool } from './reader-pool.ts'
import { type RegistryOptions, schemaRegistry } from './registry.ts'
import { defaultRetryLimits, retryingAdmin } from './retrying-admin.ts'
import type { Replication } from './topic-settings.ts'
import { KafkaTopics } from './topics.ts'
import { idempotentProducer } from './wire/idempotent-producer.ts'

export type { Security } from './driver.ts'

export interface KafkaLogOptions {
  readonly brokers: readonly string[]
  readonly registry: RegistryOptions
  /** Keeps several loomlogs on one cluster apart. */
  readonly environment: string
  /** Folder of the local copies of state. A lost copy is rebuilt from the cluster. */
  readonly stateDir: string
  readonly security?: Security
  /** Replication of new topics. Default: the cluster's. */
  readonly replication?: Replication
  /**
   * Called once for each condition that only the cluster's operator can end, such as a transaction that hangs, and for a local copy that was
   * damaged.
   */
  readonly onNotice?: (text: string) => void
}

/** An end costs a round trip to every leader, which is as long as an append. */
const maxEndAgeMs = 100

/** @throws LoomlogError `log-unavailable`, `config-invalid` */
export async function openKafkaLog(options: KafkaLogOptions): Promise<Log> {
  const names = new KafkaNames(options.environment)
  const clientId = `loomlog-${hostname()}-${process.pid}`
  await checkReachable(options.brokers, clientId, options.security ?? {})
  const connect = connectTo(options.brokers, clientId, options.security ?? {}, options.onNotice)
  const admin = connect.kafka.admin()
  const control = connect.cluster()
  try {
    await admin.connect()
    await control.connect()
    await control.refreshMetadata()
  } catch (error) {
    await Promise.all([admin.disconnect(), control.disconnect()])
    connect.close()
    throw toLogError(error, `connecting to ${options.brokers.join(', ')}`)
  }
  let closing: Promise<void> | null = null
  const retrying = retryingAdmin(admin, { ...defaultRetryLimits, isClosing: () => closing !== null })
  const topics = new KafkaTopics(retrying, control, names, options.replication)
  const groups = new KafkaGroups(retrying, names, topics, options.stateDir)
  const appender = new Appender(() => idempotentProducer(connect))
  const pool = new ReaderPool(connect, names)
  const memberships = new Set<Membership>()

  async function append(topic: string, records: readonly NewRecord[]): Promise<readonly Position[]> {
    for (const record of records) checkRecordSize(topic, record)
    const partitions = await topics.partitions(topic)
    const kafkaTopic = names.topic(topic)
    const placed = records.map((record) => ({
      ...record,
      kafkaTopic,
      partition: partitionOfRecord(record, partitions),
    }))
    crashPoint('append.before-commit')
    const offsets = await appender.append(kafkaTopic, placed).catch((error: unknown) => {
      topics.forget(topic)
      throw error
    })
    crashPoint('append.after-commit')
    return placed.map(({ partition }, at) => ({ topic, partition, offset: offsets[at] ?? 0 }))
  }

  async function deleteTopic(name: string): Promise<void> {
    await topics.delete([names.topic(name)])
    await groups.delete({ topic: name })
    await appender.forget(names.topic(name))
    pool.forget(name)
  }

  async function join(joinOptions: JoinOptions): Promise<Membership> {
    await topics.createChangelog(joinOptions.group, joinOptions.topic)
    const context = { connect, names, topics, log, stateDir: options.stateDir }
    const membership = await KafkaMembership.open(context, joinOptions)
    memberships.add(membership)
    void membership.ended.then(() => memberships.delete(membership))
    if (closing !== null) void membership.close()
    await membership.joined
    return membership
  }

  async function close(): Promise<void> {
    await Promise.all([...memberships].map((membership) => membership.close()))
    await appender.close()
    pool.close()
    await Promise.all([admin.disconnect(), control.disconnect()])
    connect.close()
  }

  const log: Log = {
    schemas: schemaRegistry(options.registry),
    maxEndAgeMs,
    createTopic: (config) => topics.create(config),
    topicDrift: (configs) => topics.drift(configs),
    deleteTopic,
    topics: () => topics.all(),
    append,
    identity: (topic) => topics.identity(topic),
    endOffsets: (topic) => pool.committedEnds(topic),
    read: (readOptions) => readTopic({ connect, names, pool }, readOptions),
    join,
    groups: () => groups.all(),
    deleteGroup: (group) => groups.delete({ group }),
    close() {
      closing ??= close()
      return closing
    },
  }
  return log
}
