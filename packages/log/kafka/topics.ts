/**
 * Topics in Kafka: the environment comes before the name. The changelogs of groups are topics too. They are not listed;
 * their settings are compared and corrected together with those of the topic that the group reads.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { TopicConfig, TopicDrift } from '../port.ts'
import { driftOf } from '../topic-drift.ts'
import { type Access, toLogError, topicUnknown } from './failures.ts'
import type { KafkaNames } from './names.ts'
import type { RetriedAdmin } from './retrying-admin.ts'
import {
  changelogSettings,
  clusterReplication,
  compression,
  compressionDrift,
  keysSettings,
  type Replication,
  type Settings,
  settingDrift,
  TopicSettings,
  topicSettings,
} from './topic-settings.ts'
import type { Broker, Cluster, TopicMetadata } from './wire/kafkajs-cluster.ts'
import { topicIdentity } from './wire/topic-identity.ts'

/** The broker's choice. */
const clusterDefault = -1
/** The pauses between them add up to ten seconds. */
const attempts = 15

export class KafkaTopics {
  readonly #admin: RetriedAdmin
  readonly #cluster: Cluster
  readonly #names: KafkaNames
  readonly #replication: Replication
  readonly #settings: TopicSettings
  readonly #partitions = new Map<string, number>()

  constructor(admin: RetriedAdmin, cluster: Cluster, names: KafkaNames, replication = clusterReplication) {
    this.#admin = admin
    this.#cluster = cluster
    this.#names = names
    this.#replication = replication
    this.#settings = new TopicSettings(admin)
  }

  /** The number of its partitions. @throws LoomlogError `topic-unknown` */
  async partitions(topic: string): Promise<number> {
    const known = this.#partitions.get(topic)
    if (known !== undefined) return known
    const count = await this.#count(this.#names.topic(topic))
    if (count === null) throw topicUnknown(topic)
    this.#partitions.set(topic, count)
    return count
  }

  /** @throws LoomlogError `topic-unknown` */
  async identity(topic: string): Promise<string> {
    try {
      return await this.#request(`asking for ${topic}`, (broker) => topicIdentity(broker, this.#names.topic(topic)), {
        operation: 'DESCRIBE',
        kind: 'topic',
        names: [this.#names.topic(topic)],
      })
    } catch (error) {
      throw isLoomlogError(error, 'topic-unknown') ? topicUnknown(topic) : error
    }
  }

  /** Another process can delete a topic and create it again, so its number of partitions is looked up again. */
  forget(topic: string): void {
    this.#partitions.delete(topic)
  }

  async create({ name, partitions, retentionMs }: TopicConfig): Promise<void> {
    if (!Number.isInteger(partitions) || partitions < 1) throw new RangeError(`${name}: ${partitions} partitions`)
    const topic = this.#names.topic(name)
    if ((await this.#create(topic, partitions, topicSettings({ retentionMs }, this.#replication))) === 'created') return
    const existing = await this.#count(topic)
    if (existing !== null && existing !== partitions) {
      throw new LoomlogError('topic-mismatch', `topic ${name} has ${existing} partitions, not ${partitions}`)
    }
    await this.#repair([topic], topicSettings({ retentionMs }, this.#replication))
    await this.#repair(await this.#changelogsOf([name]), changelogSettings(this.#replication))
  }

  async createChangelog(group: string, topic: string): Promise<void> {
    const name = this.#names.changelog(group, topic)
    const settings = changelogSettings(this.#replication)
    if ((await this.#create(name, await this.partitions(topic), settings)) === 'existed')
      await this.#repair([name], settings)
  }

  async hasKeys(): Promise<boolean> {
    return (await this.#count(this.#names.keys())) !== null
  }

  /** One partition, so that of two first keys of a log one is the first. */
  async createKeys(): Promise<void> {
    const settings = keysSettings(this.#replication)
    if ((await this.#create(this.#names.keys(), 1, settings)) === 'existed')
      await this.#repair([this.#names.keys()], settings)
  }

  async drift(configs: readonly TopicConfig[]): Promise<readonly TopicDrift[]> {
    const found: TopicDrift[] = []
    const metadata = new Map((await this.#metadata([])).map((topic) => [topic.topic, topic]))
    for (const config of configs) {
      const kafkaTopic = this.#names.topic(config.name)
      const topic = metadata.get(kafkaTopic)
      if (!topic) continue
      const counted = { ...config, partitions: topic.partitionMetadata.length }
      found.push(...driftOf(config, counted))
      found.push(...(await this.#drift(config.name, topic, topicSettings(config, this.#replication))))
      for (const name of [...metadata.keys()].filter((other) => this.#isChangelogOf(other, [config.name]))) {
        const changelog = metadata.get(name) as TopicMetadata
        found.push(...driftOf({ ...counted, name }, { ...counted, partitions: changelog.partitionMetadata.length }))
        found.push(...(await this.#drift(name, changelog, changelogSettings(this.#replication))))
      }
    }
    return found
  }

  async delete(kafkaTopics: readonly string[]): Promise<void> {
    for (const topic of kafkaTopics) {
      try {
        await this.#request(`deleting ${topic}`, (broker) => broker.deleteTopics({ topics: [topic] }), {
          operation: 'DELETE',
          kind: 'topic',
          names: [topic],
        })
      } catch (error) {
        if (!isLoomlogError(error, 'topic-unknown')) throw error
      }
    }
    this.#partitions.clear()
  }

  async all(): Promise<readonly TopicConfig[]> {
    const found = (await this.#metadata([]))
      .flatMap(({ topic, partitionMetadata }) => {
        const name = this.#names.topicOf(topic)
        return name === null ? [] : [{ topic, name, partitions: partitionMetadata.length }]
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    const settings = await this.#settings.read(
      found.map(({ topic }) => topic),
      ['retention.ms'],
    )
    return found.map(({ topic, name, partitions }) => {
      const ms = Number(settings.get(topic)?.['retention.ms'] ?? -1)
      return { name, partitions, retentionMs: ms < 0 ? null : ms }
    })
  }

  async changelogs(): Promise<readonly string[]> {
    return (await this.#metadata([])).map(({ topic }) => topic).filter((topic) => this.#names.isChangelog(topic))
  }

  async #create(topic: string, numPartitions: number, config: Settings): Promise<'created' | 'existed'> {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
    const spec = { topic, numPartitions, replicationFactor: this.#replication.factor ?? clusterDefault, configEntries }
    try {
      const created = await this.#admin.createTopics({ topics: [spec], waitForLeaders: false })
      await this.#untilKnown(topic)
      return created ? 'created' : 'existed'
    } catch (error) {
      throw toLogError(error, `creating ${topic}`, { operation: 'CREATE', kind: 'topic', names: [topic] })
    }
  }

  /** Brokers learn of a new topic a moment later. kafkajs, when it waits for leaders, takes that for a failure. */
  async #untilKnown(kafkaTopic: string): Promise<void> {
    for (let attempt = 1; (await this.#count(kafkaTopic)) === null; attempt++) {
      if (attempt === attempts) throw topicUnknown(kafkaTopic)
      await sleep(pauseMs(attempt))
    }
  }

  async #count(kafkaTopic: string): Promise<number | null> {
    try {
      return (await this.#metadata([kafkaTopic]))[0]?.partitionMetadata.length ?? null
    } catch (error) {
      if (isLoomlogError(error, 'topic-unknown')) return null
      throw error
    }
  }

  async #metadata(topics: readonly string[]): Promise<readonly TopicMetadata[]> {
    const needed: Access = { operation: 'DESCRIBE', kind: 'topic', names: topics }
    return (await this.#request('listing topics', (broker) => broker.metadata(topics), needed)).topicMetadata
  }

  /**
   * Sends a request to the controller, and retries it. kafkajs's admin client is not used: it requests every topic that
   * it has ever named, and retries a deleted one for half a minute.
   */
  async #request<T>(doing: string, ask: (broker: Broker) => Promise<T>, ...accesses: readonly Access[]): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(await this.#cluster.findControllerBroker())
      } catch (error) {
        const mapped = toLogError(error, doing, ...accesses)
        const isFinal = isLoomlogError(mapped, 'topic-unknown') || isLoomlogError(mapped, 'log-unauthorized')
        if (isFinal || attempt === attempts) throw mapped
        await sleep(pauseMs(attempt))
        await this.#cluster.refreshMetadata().catch(() => {})
      }
    }
  }

  async #drift(label: string, topic: TopicMetadata, wanted: Settings): Promise<readonly TopicDrift[]> {
    const names = [...Object.keys(wanted), compression]
    const found = (await this.#settings.read([topic.topic], names)).get(topic.topic) ?? {}
    const own = settingDrift(wanted, found).map((each) => ({ topic: label, ...each, isSettable: true }))
    const settings = [...own, ...compressionDrift(label, found[compression])]
    const { factor } = this.#replication
    const copies = Math.min(...topic.partitionMetadata.map(({ replicas }) => replicas.length))
    if (factor === null || copies === factor) return settings
    const replication = {
      setting: 'replication',
      found: String(copies),
      wanted: String(factor),
      isSettable: false,
    }
    return [...settings, { topic: label, ...replication }]
  }

  async #repair(kafkaTopics: readonly string[], wanted: Settings): Promise<void> {
    try {
      for (const topic of kafkaTopics) await this.#settings.repair(topic, wanted)
    } catch (error) {
      throw toLogError(error, `settings of ${kafkaTopics.join(', ')}`, {
        operation: 'DESCRIBE_CONFIGS and ALTER_CONFIGS',
        kind: 'topic',
        names: kafkaTopics,
      })
    }
  }

  async #changelogsOf(names: readonly string[]): Promise<readonly string[]> {
    return (await this.changelogs()).filter((topic) => this.#isChangelogOf(topic, names))
  }

  #isChangelogOf(kafkaTopic: string, names: readonly string[]): boolean {
    const topic = this.#names.isChangelog(kafkaTopic) ? this.#names.groupOf(kafkaTopic)?.topic : undefined
    return topic !== undefined && names.includes(topic)
  }
}

function pauseMs(attempt: number): number {
  return Math.min(20 * 2 ** attempt, 1_000)
}
