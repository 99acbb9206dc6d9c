/**
 * `loomlog topics plan|apply`: the topics of the log beside the catalogue's. What can be put right is put right by `apply`: topics
 * that are missing, how long records are kept, and the settings that the log needs of its brokers. The number of partitions of a
 * keyed topic never changes: it decides where a space stands, and a space has one order.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Log, TopicConfig, TopicDrift } from '@loomlog/log/port'
import { catalogue } from '@loomlog/topics/catalogue'
import { type Output, print, printJson, say, table } from '../print.ts'

interface TopicFinding {
  readonly topic: string
  readonly state: 'right' | 'missing' | 'differs' | 'partitions differ'
  /** Null for what the log keeps beside a topic, as Kafka does the state of its groups. */
  readonly wanted: TopicConfig | null
  readonly differences: readonly Omit<TopicDrift, 'topic'>[]
}

export interface TopicsOptions extends Output {
  readonly do: 'plan' | 'apply'
  /** Null: as many as the log has, or the configuration says for a new one. */
  readonly partitions: number | null
  readonly configuredPartitions: number
}

/** @throws LoomlogError `topic-mismatch` where nothing can be applied */
export async function topics(options: TopicsOptions, log: Log): Promise<void> {
  const existing = await log.topics()
  const source = existing.find((topic) => topic.name === 'utterances')
  const wanted = wantedTopics(existing, options.partitions ?? source?.partitions ?? options.configuredPartitions)
  const findings = await compared(log, existing, wanted)
  if (options.json) printJson(findings)
  else printFindings(findings)
  if (options.do === 'plan') return
  const stuck = findings.filter(({ state }) => state === 'partitions differ')
  if (stuck.length > 0) throw refused(stuck)
  for (const topic of wanted) await log.createTopic(topic)
  for (const { topic, setting, found, wanted: should } of await log.topicDrift(wanted)) {
    say(`${topic}: ${setting} stays ${found}, not ${should}: that is done with the tools of the cluster`)
  }
}

/** Every topic that the catalogue asks for, and those that were derived. */
function wantedTopics(existing: readonly TopicConfig[], partitions: number): readonly TopicConfig[] {
  return catalogue.flatMap(({ name, isDerived, partitioning, retentionMs }) => {
    const names = !isDerived ? [name] : existing.map((topic) => topic.name).filter((is) => is.startsWith(`${name}.`))
    return names.map((each) => ({ name: each, partitions: partitioning === 'one' ? 1 : partitions, retentionMs }))
  })
}

async function compared(
  log: Log,
  existing: readonly TopicConfig[],
  wanted: readonly TopicConfig[],
): Promise<readonly TopicFinding[]> {
  const byTopic = Map.groupBy(await log.topicDrift(wanted), ({ topic }) => topic)
  const there = new Set(existing.map(({ name }) => name))
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
    `nothing is changed. Partitions: ${each.join('; ')}. With another number the records of a space would stand in two ` +
      'partitions, and lose their order. What works: `loomlog log copy` into another folder, cluster or environment ' +
      '(kafka:BROKERS/ENVIRONMENT) with LOOMLOG_PARTITIONS as wanted; derive everything there again, which asks for no answer ' +
      'twice; then send writers and readers there.',
  )
}

function printFindings(findings: readonly TopicFinding[]): void {
  const rows = findings.flatMap(({ topic, state, wanted, differences }) => {
    if (state === 'missing') return [[topic, 'missing', '—', `${wanted?.partitions} partitions`]]
    if (state === 'right') return [[topic, 'right', '', '']]
    return differences.map(({ setting, found, wanted: value }) => [topic, setting, found, value])
  })
  print(table([['topic', 'is', 'found', 'wanted'], ...rows]))
}
