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
import { topicSpec } from '@loomlog/topics/catalogue'
import { type CopiedTopic, copyTopic, translator } from './topic-copy.ts'

/** Nothing else is truth: streams and generations follow from these and from the settings. */
const copied = ['utterances', 'completions'] as const

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
      for (const name of copied.filter((topic) => there.has(topic))) {
        topics.push(await copyInto(from, to, { name, partitions: target.partitions }))
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

async function copyInto(
  from: Log,
  to: Log,
  { name, partitions }: { readonly name: (typeof copied)[number]; readonly partitions: number },
): Promise<CopiedTopic> {
  const existing = (await to.topics()).find((topic) => topic.name === 'utterances')
  const { retentionMs } = topicSpec(name)
  await to.createTopic({ name, partitions: existing?.partitions ?? partitions, retentionMs })
  return copyTopic(name, from, to, translator(from, to))
}

/** However they are written: one broker in common is one cluster. */
function isSame(one: Config, other: Config): boolean {
  if (one.log.kind === 'kafka' && other.log.kind === 'kafka') {
    const { brokers, environment } = other.log
    return one.log.environment === environment && one.log.brokers.some((broker) => brokers.includes(broker))
  }
  return one.log.kind === other.log.kind && canonical(one.dir) === canonical(other.dir)
}

/** A folder that isn't there yet is none of those that are. */
function canonical(dir: string): string {
  return existsSync(dir) ? realpathSync(dir) : resolve(dir)
}
