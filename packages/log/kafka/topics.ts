/**
 * Topics as they are in Kafka: with an environment before the name, and with the number of copies that the cluster's own
 * configuration says. Changelogs, which hold the state of groups, are topics too, and not listed.
 */
import { LoomlogError } from '@loomlog/errors'
import { type Admin, ConfigResourceTypes } from 'kafkajs'
import type { TopicConfig } from '../port.ts'
import { errorType, failure, topicUnknown } from './failures.ts'
import type { Names } from './names.ts'

/** The broker's choice. */
const clusterDefault = -1
const dayMs = 24 * 3600 * 1000
/** For so long a deletion stays in a changelog, and for so long a local copy can be brought up to date from it. */
export const deletionsKeptMs = 7 * dayMs

export class Topics {
  readonly #admin: Admin
  readonly #names: Names
  readonly #partitions = new Map<string, number>()

  constructor(admin: Admin, names: Names) {
    this.#admin = admin
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

  async create({ name, partitions, retentionMs }: TopicConfig): Promise<void> {
    if (!Number.isInteger(partitions) || partitions < 1) throw new RangeError(`${name}: ${partitions} partitions`)
    const topic = this.#names.topic(name)
    const retention = String(retentionMs ?? -1)
    const created = await this.#create(topic, partitions, {
      'cleanup.policy': 'delete',
      'retention.ms': retention,
      // Log time is the writer's; a clock ahead of the broker's must not stop the log.
      'message.timestamp.after.max.ms': '9223372036854775807',
    })
    if (created === 'created') return
    const existing = await this.#count(topic)
    if (existing !== null && existing !== partitions) {
      throw new LoomlogError('topic-mismatch', `topic ${name} has ${existing} partitions, not ${partitions}`)
    }
    await this.#setRetention(topic, retention)
  }

  async createChangelog(group: string, topic: string): Promise<void> {
    await this.#create(this.#names.changelog(group, topic), await this.partitions(topic), {
      'cleanup.policy': 'compact',
      'delete.retention.ms': String(deletionsKeptMs),
    })
  }

  async delete(kafkaTopics: readonly string[]): Promise<void> {
    this.#partitions.clear()
    for (const topic of kafkaTopics) {
      try {
        await this.#admin.deleteTopics({ topics: [topic] })
      } catch (error) {
        if (errorType(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw failure(error, `deleting ${topic}`)
      }
    }
  }

  async all(): Promise<readonly TopicConfig[]> {
    const named = (await this.#admin.listTopics())
      .flatMap((kafkaTopic) => {
        const name = this.#names.topicOf(kafkaTopic)
        return name === null ? [] : [{ kafkaTopic, name }]
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    if (named.length === 0) return []
    const retention = await this.#retention(named.map(({ kafkaTopic }) => kafkaTopic))
    return await Promise.all(
      named.map(async ({ kafkaTopic, name }) => ({
        name,
        partitions: (await this.#count(kafkaTopic)) ?? 0,
        retentionMs: retention.get(kafkaTopic) ?? null,
      })),
    )
  }

  async changelogs(): Promise<readonly string[]> {
    return (await this.#admin.listTopics()).filter((topic) => this.#names.isChangelog(topic))
  }

  async #create(topic: string, numPartitions: number, config: Record<string, string>): Promise<'created' | 'existed'> {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
    const spec = { topic, numPartitions, replicationFactor: clusterDefault, configEntries }
    try {
      return (await this.#admin.createTopics({ topics: [spec], waitForLeaders: true })) ? 'created' : 'existed'
    } catch (error) {
      throw failure(error, `creating ${topic}`)
    }
  }

  async #count(kafkaTopic: string): Promise<number | null> {
    try {
      const { topics } = await this.#admin.fetchTopicMetadata({ topics: [kafkaTopic] })
      return topics[0]?.partitions.length ?? null
    } catch (error) {
      if (errorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return null
      throw failure(error, `looking up ${kafkaTopic}`)
    }
  }

  async #retention(kafkaTopics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const resources = kafkaTopics.map((name) => ({
      type: ConfigResourceTypes.TOPIC,
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

  async #setRetention(topic: string, ms: string): Promise<void> {
    const current = (await this.#retention([topic])).get(topic) ?? -1
    if (String(current) === ms) return
    throw new LoomlogError('topic-mismatch', `topic ${topic} keeps records ${current} ms, not ${ms}`)
  }
}
