/**
 * Copies a log into another one: the topics that can't be derived again. Everything else is derived from them in the target, by the next
 * `loomlog up` or `ingest`, and no model is asked again.
 */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import type { Config } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import type { Log } from '@loomlog/log/port'
import { catalogue, type TopicSpec } from '@loomlog/topics/catalogue'
import { type CopiedTopic, copyTopic, translator } from './topic-copy.ts'

/** The feed of a log is its own, and so are its webhooks: a copy publishes its memory under ids of its own, and posts nothing. */
const ownOfALog: readonly string[] = ['memory-events', 'webhooks']

/** Every other topic that can't be derived again; the first one decides the number of partitions. */
const copied = catalogue.filter(({ derivedFrom, name }) => derivedFrom === null && !ownOfALog.includes(name))

/** @throws LoomlogError `not-found` where the source is empty, `input-invalid` where both are the same log */
export async function copyLog(
  source: Config,
  target: Config,
  onTopic: (topic: CopiedTopic) => void,
): Promise<readonly CopiedTopic[]> {
  if (isSame(source, target)) throw new LoomlogError('input-invalid', 'the log cannot be copied onto itself')
  const from = await openLog(source)
  try {
    const there = new Set((await from.topics()).map(({ name }) => name))
    if (!there.has('utterances')) throw new LoomlogError('not-found', `there is no log in ${source.dir}`)
    const to = await openLog(target)
    try {
      const topics: CopiedTopic[] = []
      for (const spec of copied.filter(({ name }) => there.has(name))) {
        topics.push(await copyInto(from, to, spec, target.partitions))
        onTopic(topics.at(-1) as CopiedTopic)
      }
      return topics
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function copyInto(from: Log, to: Log, spec: TopicSpec, wanted: number): Promise<CopiedTopic> {
  const { name, retentionMs, partitioning } = spec
  const existing = (await to.topics()).find((topic) => topic.name === 'utterances')
  const partitions = partitioning === 'one' ? 1 : (existing?.partitions ?? wanted)
  await to.createTopic({ name, partitions, retentionMs })
  const keptFrom = retentionMs === null ? 0 : Date.now() - retentionMs
  return copyTopic({ topic: name, keptFrom }, from, to, translator(from, to))
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
