/**
 * Checks the topics of the log against those that loomlog and its extensions need. Corrects missing topics, retention,
 * and the broker settings that the log needs. The number of partitions of a keyed topic never changes: it decides the
 * partition of a space, and a space has one order.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Log, TopicConfig, TopicDrift } from '@loomlog/log/port'
import type { TopicSpec } from '@loomlog/topics/catalogue'

export interface TopicFinding {
  readonly topic: string
  readonly state: 'right' | 'missing' | 'differs' | 'partitions differ'
  /** Null for topics that the log keeps for itself, such as Kafka's for the state of groups. */
  readonly wanted: TopicConfig | null
  readonly differences: readonly Omit<TopicDrift, 'topic'>[]
}

export interface ExpectedTopics {
  /** The topics that this process knows: loomlog's own, and those of its extensions. */
  readonly topics: readonly TopicSpec[]
  /** Null: as many as the log has; for a new log, as many as the configuration says. */
  readonly partitions: number | null
  readonly configuredPartitions: number
}

export async function checkTopics(options: ExpectedTopics, log: Log): Promise<readonly TopicFinding[]> {
  return compared(log, await wantedTopics(options, log))
}

/**
 * Creates missing topics and corrects settings. Returns the differences that only the cluster's own tools can correct.
 *
 * @throws LoomlogError `topic-mismatch` where partitions differ: nothing is changed then
 */
export async function applyTopics(options: ExpectedTopics, log: Log): Promise<readonly TopicDrift[]> {
  const wanted = await wantedTopics(options, log)
  const stuck = (await compared(log, wanted)).filter(({ state }) => state === 'partitions differ')
  if (stuck.length > 0) throw refused(stuck)
  for (const topic of wanted) await log.createTopic(topic)
  return log.topicDrift(wanted)
}

/** Every topic; a derived one, once for each derivation that has it. */
async function wantedTopics(options: ExpectedTopics, log: Log): Promise<readonly TopicConfig[]> {
  const existing = await log.topics()
  const source = existing.find((topic) => topic.name === 'utterances')
  const count = options.partitions ?? source?.partitions ?? options.configuredPartitions
  return options.topics.flatMap(({ name, derivedFrom, partitioning, retentionMs }) => {
    const derived = existing.map((topic) => topic.name).filter((is) => is.startsWith(`${name}.`))
    const names = derivedFrom === null ? [name] : derived
    return names.map((each) => ({ name: each, partitions: partitioning === 'one' ? 1 : count, retentionMs }))
  })
}

async function compared(log: Log, wanted: readonly TopicConfig[]): Promise<readonly TopicFinding[]> {
  const byTopic = Map.groupBy(await log.topicDrift(wanted), ({ topic }) => topic)
  const there = new Set((await log.topics()).map(({ name }) => name))
  const named = wanted.map((topic) => ({ topic: topic.name, wanted: topic }))
  const beside = [...byTopic.keys()].filter((name) => !named.some(({ topic }) => topic === name))
  const kept = beside.map((topic) => ({ topic, wanted: null }))
  return [...named, ...kept].map(({ topic, wanted: config }) => {
    const differences = (byTopic.get(topic) ?? []).map(({ topic: _, ...difference }) => difference)
    const isMissing = !there.has(topic) && differences.length === 0
    return { topic, state: isMissing ? 'missing' : stateOf(differences), wanted: config, differences }
  })
}

function stateOf(differences: TopicFinding['differences']): TopicFinding['state'] {
  if (differences.some(({ setting }) => setting === 'partitions')) return 'partitions differ'
  return differences.length === 0 ? 'right' : 'differs'
}

function refused(stuck: readonly TopicFinding[]): LoomlogError {
  const each = stuck.flatMap(({ topic, differences }) =>
    differences
      .filter(({ setting }) => setting === 'partitions')
      .map(({ found, wanted }) => `${topic} has ${found}, not ${wanted}`),
  )
  return new LoomlogError(
    'topic-mismatch',
    `${each.join('; ')} partitions; nothing is changed. A space's key and the number of partitions decide its partition: with another number, ` +
      'a space would be in two, and lose its order. To change it: set LOOMLOG_PARTITIONS, run `loomlog log copy` into another folder, cluster ' +
      'or environment (kafka:BROKERS/ENVIRONMENT), run `loomlog up` there (no model is asked again), and send writers and readers there.',
  )
}
