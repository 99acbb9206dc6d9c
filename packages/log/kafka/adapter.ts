/**
 * The Log on Kafka, for more than one machine. An acknowledged record is as durable as the replication: every topic has
 * the configured number of copies, by default the cluster's, and every write waits for all copies that are in sync.
 * This file puts the parts together.
 */
import { hostname } from 'node:os'
import { crashPoint } from '../crash-points.ts'
import type { WithKeys } from '../encryption/key-store.ts'
import { partitionOfRecord } from '../partition.ts'
import type { JoinOptions, Lease, Log, Membership, NewRecord, Position, ReadOptions } from '../port.ts'
import { checkRecordSize, limitOf } from '../record-size.ts'
import { Appender } from './append.ts'
import { connectTo, type Security } from './driver.ts'
import { toLogError, withPrincipal } from './failures.ts'
import { KafkaGroups } from './groups.ts'
import { KafkaKeys } from './key-store.ts'
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
   * Called once for each condition that only the cluster's operator can end, such as a transaction that hangs, and for
   * a local copy that was damaged.
   */
  readonly onNotice?: (text: string) => void
}

/** An end costs a round trip to every leader, which is as long as an append. */
const maxEndAgeMs = 100

/** @throws LoomlogError `log-unavailable`, `config-invalid` */
export async function openKafkaLog(options: KafkaLogOptions): Promise<Log & WithKeys> {
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
  const keys = new KafkaKeys({ connect, names, topics, appender })
  const memberships = new Set<Membership>()

  async function append(topic: string, records: readonly NewRecord[]): Promise<readonly Position[]> {
    for (const record of records) checkRecordSize(topic, record, limitOf(keys))
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
    const context = { connect, names, topics, keys, log, stateDir: options.stateDir }
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
    await keys.close()
    pool.close()
    await Promise.all([admin.disconnect(), control.disconnect()])
    connect.close()
  }

  const principal = principalOf(options.security ?? {})
  const naming = (error: unknown): never => {
    throw withPrincipal(error, principal)
  }
  async function* read(readOptions: ReadOptions) {
    try {
      yield* readTopic({ connect, names, pool }, readOptions)
    } catch (error) {
      naming(error)
    }
  }

  const log: Log & WithKeys = {
    keys,
    sealing: null,
    schemas: schemaRegistry(options.registry),
    maxEndAgeMs,
    createTopic: (config) => topics.create(config).catch(naming),
    topicDrift: (configs) => topics.drift(configs).catch(naming),
    deleteTopic: (name) => deleteTopic(name).catch(naming),
    topics: () => topics.all().catch(naming),
    append: (topic, records) => append(topic, records).catch(naming),
    identity: (topic) => topics.identity(topic).catch(naming),
    endOffsets: (topic) => pool.committedEnds(topic).catch(naming),
    read,
    join: (joinOptions) => join(named(joinOptions, principal)).catch(naming),
    // A broker deletes whole segments only: records are destroyed with the key that they are sealed with.
    erase: async () => {},
    groups: () => groups.all().catch(naming),
    deleteGroup: (group) => groups.delete({ group }).catch(naming),
    close() {
      closing ??= close()
      return closing
    },
  }
  return log
}

/** The principal of the connections, as ACLs name it, where the settings tell it. */
function principalOf({ sasl, ssl }: Security): string {
  if (sasl !== undefined && 'username' in sasl) return `User:${sasl.username}`
  return typeof ssl === 'object' && ssl.cert ? 'of its client certificate' : 'User:ANONYMOUS'
}

/** The options of a member whose errors name the principal. */
function named({ onLease, onError, ...options }: JoinOptions, principal: string): JoinOptions {
  return {
    ...options,
    onError: (error) => onError(withPrincipal(error, principal)),
    onLease: (lease) => onLease(leaseNaming(lease, principal)),
  }
}

function leaseNaming(lease: Lease, principal: string): Lease {
  const { topic, partition, epoch, position, state, signal } = lease
  const naming = (error: unknown): never => {
    throw withPrincipal(error, principal)
  }
  return {
    topic,
    partition,
    epoch,
    position,
    state,
    signal,
    poll: (limits) => lease.poll(limits).catch(naming),
    seek: (offset) => lease.seek(offset),
    commit: (commit) => lease.commit(commit).catch(naming),
  }
}
