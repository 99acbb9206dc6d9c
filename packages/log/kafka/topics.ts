/**
 * Topics as they are in Kafka: with an environment before the name, and with the number of copies that the cluster's own
 * configuration says. Changelogs, which hold the state of groups, are topics too, and not listed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import kafkajs, { type Admin } from 'kafkajs'
import type { TopicConfig } from '../port.ts'
import type { Broker, Cluster, TopicMetadata } from './cluster.ts'
import { errorType, failure, topicUnknown } from './failures.ts'
import type { Names } from './names.ts'

/** The broker's choice. */
const clusterDefault = -1
/** With pauses between them that make ten seconds in all. */
const attempts = 15
const dayMs = 24 * 3600 * 1000
/** For so long a deletion stays in a changelog, and for so long a local copy can be brought up to date from it. */
export const deletionsKeptMs = 7 * dayMs

export class Topics {
  readonly #admin: Admin
  readonly #cluster: Cluster
  readonly #names: Names
  readonly #partitions = new Map<string, number>()

  constructor(admin: Admin, cluster: Cluster, names: Names) {
    this.#admin = admin
    this.#cluster = cluster
    this.#names = names
  }

  /** How many partitions it has. @throws LoomlogError `topic-unknown` */
  async partitions(topic: string): Promise<number> {
    const known = this.#partitions.get(topic)
    if (known !== undefined) return known
    const count = await this.#count(this.#names.topic(topic))
    if (count === null) throw topicUnknown(topic)
    this.#partitions.set(topic, count)
    return count
  }

  /** What is remembered of a topic may be wrong: another process can delete it, and create it anew. */
  forget(topic: string): void {
    this.#partitions.delete(topic)
  }

  async create({ name, partitions, retentionMs }: TopicConfig): Promise<void> {
    if (!Number.isInteger(partitions) || partitions < 1) throw new RangeError(`${name}: ${partitions} partitions`)
    const topic = this.#names.topic(name)
    const config = {
      'retention.ms': String(retentionMs ?? -1),
      // Log time is the writer's; a clock ahead of the broker's must not stop the log.
      'message.timestamp.after.max.ms': '9223372036854775807',
    }
    if ((await this.#create(topic, partitions, config)) === 'created') return
    const existing = await this.#count(topic)
    if (existing !== null && existing !== partitions) {
      throw new LoomlogError('topic-mismatch', `topic ${name} has ${existing} partitions, not ${partitions}`)
    }
    await this.#configure(topic, config)
  }

  async createChangelog(group: string, topic: string): Promise<void> {
    await this.#create(this.#names.changelog(group, topic), await this.partitions(topic), {
      'cleanup.policy': 'compact',
      'delete.retention.ms': String(deletionsKeptMs),
    })
  }

  async delete(kafkaTopics: readonly string[]): Promise<void> {
    for (const topic of kafkaTopics) {
      try {
        await this.#asked(`deleting ${topic}`, (broker) => broker.deleteTopics({ topics: [topic] }))
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
    const retention = await this.#retention(found.map(({ topic }) => topic))
    return found.map(({ topic, name, partitions }) => ({ name, partitions, retentionMs: retention.get(topic) ?? null }))
  }

  async changelogs(): Promise<readonly string[]> {
    return (await this.#metadata([])).map(({ topic }) => topic).filter((topic) => this.#names.isChangelog(topic))
  }

  async #create(topic: string, numPartitions: number, config: Record<string, string>): Promise<'created' | 'existed'> {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
    const spec = { topic, numPartitions, replicationFactor: clusterDefault, configEntries }
    try {
      const created = await this.#admin.createTopics({ topics: [spec], waitForLeaders: false })
      await this.#untilKnown(topic)
      return created ? 'created' : 'existed'
    } catch (error) {
      throw failure(error, `creating ${topic}`)
    }
  }

  /** Brokers hear of a new topic a moment later, which kafkajs, when it waits for leaders, takes for a failure. */
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
    return (await this.#asked('listing topics', (broker) => broker.metadata(topics))).topicMetadata
  }

  /** Not kafkajs's admin client: it asks for every topic that it was ever asked about, and tries half a minute for one gone. */
  async #asked<T>(doing: string, ask: (broker: Broker) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(await this.#cluster.findControllerBroker())
      } catch (error) {
        if (errorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION' || attempt === attempts) throw failure(error, doing)
        await sleep(pauseMs(attempt))
        await this.#cluster.refreshMetadata().catch(() => {})
      }
    }
  }

  async #retention(kafkaTopics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (kafkaTopics.length === 0) return new Map()
    const resources = kafkaTopics.map((name) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
      configNames: ['retention.ms'],
    }))
    const described = await this.#admin.describeConfigs({ resources, includeSynonyms: false })
    return new Map(
      described.resources.flatMap(({ resourceName, configEntries }) => {
        const ms = Number(configEntries[0]?.configValue ?? -1)
        return ms < 0 ? [] : [[resourceName, ms] as const]
      }),
    )
  }

  async #configure(name: string, config: Readonly<Record<string, string>>): Promise<void> {
    const configEntries = Object.entries(config).map(([key, value]) => ({ name: key, value }))
    const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name, configEntries }]
    await this.#admin.alterConfigs({ validateOnly: false, resources })
  }
}

function pauseMs(attempt: number): number {
  return Math.min(20 * 2 ** attempt, 1_000)
}
