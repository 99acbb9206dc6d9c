/**
 * The names of the Log's topics and groups in Kafka. An environment keeps several loomlogs on one cluster apart: its
 * name and a dot stand before everything. Kafka takes `.` and `_` for the same thing in metrics, so names here have no
 * underscore, which leaves it free to separate a group from the topic it reads.
 */
import { LoomlogError } from '@loomlog/errors'

const changelogSuffix = '_changelog'
/** Kafka's own limit. */
const maxNameLength = 249

export class KafkaNames {
  readonly environment: string
  readonly #prefix: string

  constructor(environment: string) {
    if (!/^[A-Za-z0-9-]+$/.test(environment)) {
      throw new LoomlogError('config-invalid', `environment ${environment}: letters, digits and hyphens only`)
    }
    this.environment = environment
    this.#prefix = `${environment}.`
  }

  topic(name: string): string {
    return this.#checked(`${this.#prefix}${plain(name)}`)
  }

  /** The topic of the encrypted data keys. */
  keys(): string {
    return `${this.#prefix}_data-keys`
  }

  /** One group of the Log on one topic is one consumer group. */
  group(group: string, topic: string): string {
    return `${this.#prefix}${plain(group)}_${plain(topic)}`
  }

  changelog(group: string, topic: string): string {
    return this.#checked(this.group(group, topic) + changelogSuffix)
  }

  transactionalId(group: string, topic: string, partition: number): string {
    return `loomlog.${this.group(group, topic)}.${partition}`
  }

  /** The Log's name of a Kafka topic; null if it is not one of this environment's. */
  topicOf(kafkaTopic: string): string | null {
    if (!kafkaTopic.startsWith(this.#prefix) || kafkaTopic.includes('_')) return null
    return kafkaTopic.slice(this.#prefix.length)
  }

  /** The group and topic of a consumer group or a changelog; null for one of another environment. */
  groupOf(name: string): { readonly group: string; readonly topic: string } | null {
    if (!name.startsWith(this.#prefix)) return null
    const [group, topic] = name.slice(this.#prefix.length).split('_')
    return group && topic ? { group, topic } : null
  }

  isChangelog(kafkaTopic: string): boolean {
    return kafkaTopic.startsWith(this.#prefix) && kafkaTopic.endsWith(changelogSuffix)
  }

  #checked(name: string): string {
    if (name.length <= maxNameLength) return name
    throw new LoomlogError('config-invalid', `${name} is longer than the ${maxNameLength} characters of a Kafka name`)
  }
}

function plain(name: string): string {
  if (/^[A-Za-z0-9.-]+$/.test(name)) return name
  throw new LoomlogError('config-invalid', `${name}: letters, digits, dots and hyphens only`)
}
