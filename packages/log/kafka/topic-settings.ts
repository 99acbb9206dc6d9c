/**
 * Settings that a topic needs under any defaults of the brokers, and how they are set. A topic of the Log is neither
 * compacted nor limited in size, its timestamps are the writers', and it takes every record that the Log takes. An
 * operator's other settings stay: Kafka's request resets every setting that it doesn't name, so all are named.
 */
import kafkajs from 'kafkajs'
import { maxRecordBytes, type TopicConfig, type TopicDrift } from '../port.ts'
import type { RetriedAdmin } from './retrying-admin.ts'
import { codecNames } from './wire/compression.ts'

export interface Replication {
  /** The number of copies; null: the cluster's default. */
  readonly factor: number | null
  /** The number of copies that must have a record before it is acknowledged; null: the cluster's default. */
  readonly minInSync: number | null
}

export const clusterReplication: Replication = { factor: null, minInSync: null }

export type Settings = Readonly<Record<string, string>>

export interface SettingDrift {
  readonly setting: string
  readonly found: string
  readonly wanted: string
}

const dayMs = 24 * 3600 * 1000
/** How long a tombstone stays in a changelog. A local copy that is older than half of this is rebuilt. */
export const tombstoneRetentionMs = 7 * dayMs
const keysSegmentMs = 60_000
/** The largest value, with room for a key and for Kafka's own bytes. */
const maxMessageBytes = maxRecordBytes + 48_588
const dynamicTopicConfig = 1
const maxMessage = 'max.message.bytes'
export const compression = 'compression.type'
/** `producer`: each batch stays as its writer compressed it. */
const readable = ['producer', 'uncompressed', ...codecNames.filter((name) => name !== 'none')]

export function topicSettings({ retentionMs }: Pick<TopicConfig, 'retentionMs'>, replication: Replication): Settings {
  return {
    ...common(replication),
    'cleanup.policy': 'delete',
    'retention.ms': String(retentionMs ?? -1),
    'retention.bytes': '-1',
    'message.timestamp.type': 'CreateTime',
    // Log time is the writer's; a clock ahead of the broker's must not stop the log.
    'message.timestamp.after.max.ms': '9223372036854775807',
  }
}

export function changelogSettings(replication: Replication): Settings {
  return { ...common(replication), 'cleanup.policy': 'compact', 'delete.retention.ms': String(tombstoneRetentionMs) }
}

/** Compacted within minutes, so that a destroyed key's bytes are soon gone. */
export function keysSettings(replication: Replication): Settings {
  return {
    ...changelogSettings(replication),
    'segment.ms': String(keysSegmentMs),
    'max.compaction.lag.ms': String(keysSegmentMs),
    'min.cleanable.dirty.ratio': '0.01',
  }
}

function common({ minInSync }: Replication): Settings {
  return {
    [maxMessage]: String(maxMessageBytes),
    ...(minInSync === null ? {} : { 'min.insync.replicas': String(minInSync) }),
  }
}

export class TopicSettings {
  readonly #admin: RetriedAdmin

  constructor(admin: RetriedAdmin) {
    this.#admin = admin
  }

  /** The values that these settings have, by Kafka's name of the topic. */
  async read(topics: readonly string[], settings: readonly string[]): Promise<ReadonlyMap<string, Settings>> {
    if (topics.length === 0) return new Map()
    const described = await this.#describe(topics, settings)
    return new Map(
      described.map(({ resourceName, configEntries }) => [
        resourceName,
        Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
      ]),
    )
  }

  /** Corrects the settings of a topic that differ. */
  async repair(topic: string, wanted: Settings): Promise<void> {
    const [described] = await this.#describe([topic], [])
    const entries = described?.configEntries ?? []
    const found = Object.fromEntries(entries.map(({ configName, configValue }) => [configName, configValue]))
    const drift = settingDrift(wanted, found)
    if (drift.length === 0) return
    const own = entries.filter(({ configSource }) => (configSource as number) === dynamicTopicConfig)
    const kept = Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]))
    const changed = Object.fromEntries(drift.map(({ setting, wanted: value }) => [setting, value]))
    const configEntries = Object.entries({ ...kept, ...changed }).map(([name, value]) => ({ name, value }))
    const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries }]
    await this.#admin.alterConfigs({ validateOnly: false, resources })
  }

  async #describe(topics: readonly string[], configNames: readonly string[]) {
    const type = kafkajs.ConfigResourceTypes.TOPIC
    const named = configNames.length === 0 ? {} : { configNames: [...configNames] }
    const resources = topics.map((name) => ({ type, name, ...named }))
    return (await this.#admin.describeConfigs({ resources, includeSynonyms: false })).resources
  }
}

/** Compression is the operator's choice, among the codecs that loomlog reads. */
export function compressionDrift(topic: string, found: string | undefined): readonly TopicDrift[] {
  if (found === undefined || readable.includes(found)) return []
  return [{ topic, setting: compression, found, wanted: `one of ${readable.join(', ')}`, isSettable: false }]
}

/** The limit `max.message.bytes` may be higher than wanted. */
export function settingDrift(wanted: Settings, found: Settings): readonly SettingDrift[] {
  return Object.entries(wanted).flatMap(([setting, value]) => {
    const is = found[setting] ?? 'not set'
    const fits = setting === maxMessage ? Number(is) >= Number(value) : is === value
    return fits ? [] : [{ setting, found: is, wanted: value }]
  })
}
