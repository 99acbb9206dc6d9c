/**
 * Copies a log into another one: the topics that can't be derived again. Everything else is derived from them in the
 * target, by the next `loomlog up` or `ingest`, and no model is asked again.
 */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { webhooksTopic } from '@loomlog/feed/webhooks'
import type { Config } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import type { TopicConfig } from '@loomlog/log/port'
import { catalogue, type TopicSpec } from '@loomlog/topics/catalogue'
import { schemaIdTranslator } from './schema-ids.ts'
import {
  type CopiedTopic,
  checkTarget,
  copyTopic,
  type LogPair,
  type PresentRecords,
  type TopicToCopy,
} from './topic-copy.ts'
import { fromBeginning } from './webhook-records.ts'

/**
 * The topics that can't be derived again; a copy publishes its feed under new ids. `utterances` is first: it decides
 * the number of partitions.
 */
const copied = catalogue.filter(({ derivedFrom, name }) => derivedFrom === null && name !== 'memory-events')

/** Records that expire within this time stay: either log may drop them during the copy, and the two would differ. */
const expiresSoonMs = 3_600_000

/**
 * @throws LoomlogError `not-found` where the source is empty, `input-invalid` where both are the same log or the target
 * has other records
 */
export async function copyLog(
  source: Config,
  target: Config,
  onTopic: (topic: CopiedTopic) => void,
): Promise<readonly CopiedTopic[]> {
  if (isSame(source, target)) throw new LoomlogError('input-invalid', 'the log cannot be copied onto itself')
  const from = await openLog(source)
  try {
    const topics = await from.topics()
    const there = new Set(topics.map(({ name }) => name))
    if (!there.has('utterances')) throw new LoomlogError('not-found', `there is no log in ${source.dir}`)
    const to = await openLog(target)
    try {
      const pair = { from, to, translate: schemaIdTranslator(from, to) }
      return await copyTopics(
        copied.filter(({ name }) => there.has(name)),
        pair,
        { wanted: target.partitions, source: commonPartitions(topics) },
        onTopic,
      )
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

/**
 * Checks every topic of the target before the first append, so that a log with records of its own gets no record. It
 * may get schemas.
 */
async function copyTopics(
  specs: readonly TopicSpec[],
  pair: LogPair,
  { wanted, source }: { readonly wanted: number; readonly source: number | null },
  onTopic: (topic: CopiedTopic) => void,
): Promise<readonly CopiedTopic[]> {
  const existing = new Map((await pair.to.topics()).map(({ name, partitions }) => [name, partitions]))
  const now = Date.now()
  const spacePartitions = existing.get('utterances') ?? wanted
  const webhookPair = fromBeginning(pair, spacePartitions)
  const pairOf = ({ name }: TopicSpec) => (name === webhooksTopic ? webhookPair : pair)
  const checked: { spec: TopicSpec; topic: TopicToCopy; present: PresentRecords }[] = []
  for (const spec of specs) {
    const keptFrom = spec.retentionMs === null ? 0 : now - spec.retentionMs + expiresSoonMs
    const topic = { topic: spec.name, keptFrom, ...(bySpace(spec.name) && source !== null && { partitions: source }) }
    checked.push({ spec, topic, present: existing.has(spec.name) ? await checkTarget(topic, pairOf(spec)) : new Map() })
  }
  const topics: CopiedTopic[] = []
  for (const { spec, topic, present } of checked) {
    const { name, retentionMs, partitioning } = spec
    const partitions = partitioning === 'one' ? 1 : spacePartitions
    await pair.to.createTopic({ name, partitions, retentionMs })
    const done = await copyTopic(topic, present, pairOf(spec))
    topics.push(done)
    onTopic(done)
  }
  return topics
}

/**
 * The number of partitions of every topic that is partitioned by space; null: they differ. Then a topic was widened,
 * its older records are not misplaced by a foreign producer, and the copy gives them their partition.
 */
function commonPartitions(topics: readonly TopicConfig[]): number | null {
  const [first = null, ...others] = new Set(topics.filter(({ name }) => bySpace(name)).map((each) => each.partitions))
  return others.length === 0 ? first : null
}

/** @param name of a topic; a derived one has its derivation behind a dot */
function bySpace(name: string): boolean {
  return catalogue.some((spec) => spec.name === name.split('.')[0] && spec.partitioning === 'space')
}

/** Two lists with a common broker name the same cluster. */
function isSame(one: Config, other: Config): boolean {
  if (one.log.kind === 'kafka' && other.log.kind === 'kafka') {
    const { brokers, environment } = other.log
    return one.log.environment === environment && one.log.brokers.some((broker) => brokers.includes(broker))
  }
  return one.log.kind === other.log.kind && canonical(one.dir) === canonical(other.dir)
}

/** A missing folder differs from every existing one. */
function canonical(dir: string): string {
  return existsSync(dir) ? realpathSync(dir) : resolve(dir)
}
