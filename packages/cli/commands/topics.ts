/**
 * `loomlog topics plan|apply`: the topics of the log beside the catalogue's. What can be put right is put right by `apply`: topics
 * that are missing, and how long records are kept. The number of partitions of a keyed topic never changes: it decides where a
 * space stands, and a space has one order.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Log, TopicConfig } from '@loomlog/log/port'
import { catalogue } from '@loomlog/topics/catalogue'
import { type Output, print, printJson, table } from '../print.ts'

export interface TopicFinding {
  readonly topic: string
  readonly state: 'right' | 'missing' | 'retention differs' | 'partitions differ'
  readonly wanted: TopicConfig
  readonly found: TopicConfig | null
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
  const findings = findTopics(existing, options.partitions ?? source?.partitions ?? options.configuredPartitions)
  if (options.json) printJson(findings)
  else printFindings(findings)
  if (options.do === 'plan') return
  const stuck = findings.filter(({ state }) => state === 'partitions differ')
  if (stuck.length > 0) throw refused(stuck)
  for (const { state, wanted } of findings) if (state !== 'right') await log.createTopic(wanted)
}

/** Every topic that the catalogue asks for, and those that were derived, each beside what is there. */
export function findTopics(existing: readonly TopicConfig[], partitions: number): readonly TopicFinding[] {
  const wanted = catalogue.flatMap(({ name, derived, partitioning, retentionMs }) => {
    const names =
      derived === 'no' ? [name] : existing.map((topic) => topic.name).filter((is) => is.startsWith(`${name}.`))
    return names.map((each) => ({ name: each, partitions: partitioning === 'one' ? 1 : partitions, retentionMs }))
  })
  return wanted.map((topic) => {
    const found = existing.find(({ name }) => name === topic.name) ?? null
    return { topic: topic.name, state: stateOf(topic, found), wanted: topic, found }
  })
}

function stateOf(wanted: TopicConfig, found: TopicConfig | null): TopicFinding['state'] {
  if (found === null) return 'missing'
  if (found.partitions !== wanted.partitions) return 'partitions differ'
  return found.retentionMs === wanted.retentionMs ? 'right' : 'retention differs'
}

function refused(stuck: readonly TopicFinding[]): LoomlogError {
  const each = stuck.map(({ topic, wanted, found }) => `${topic} has ${found?.partitions}, not ${wanted.partitions}`)
  return new LoomlogError(
    'topic-mismatch',
    `nothing is changed. Partitions: ${each.join('; ')}. With another number the records of a space would stand in two ` +
      'partitions, and lose their order. What works: `loomlog log copy` into another folder or cluster, ' +
      'with LOOMLOG_PARTITIONS as wanted, derive everything there again (no answer is asked for twice), and send writers there.',
  )
}

function printFindings(findings: readonly TopicFinding[]): void {
  const kept = (topic: TopicConfig | null) => {
    if (topic === null) return '—'
    const time = topic.retentionMs === null ? 'for ever' : `${topic.retentionMs} ms`
    return `${topic.partitions} partitions, ${time}`
  }
  const rows = findings.map(({ topic, state, wanted, found }) => [topic, state, kept(found), kept(wanted)])
  print(table([['topic', 'is', 'found', 'wanted'], ...rows]))
}
