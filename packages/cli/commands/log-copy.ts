/**
 * `loomlog log copy --from LOG --to LOG`: what people said and the answers that were paid for, into another log. Everything else is
 * derived from them there, by the next `loomlog up` or `ingest`, and nobody is asked again.
 */
import { LoomlogError } from '@loomlog/errors'
import { type Config, configFrom } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import type { Log } from '@loomlog/log/port'
import { topicSpec } from '@loomlog/topics/catalogue'
import { copyTopic, translator } from '../copy-records.ts'
import { count, type Output, print, printJson } from '../print.ts'

export interface LogCopyOptions extends Output {
  /** `sqlite:DIR` or `kafka:BROKERS`; the rest of the configuration comes from the environment. */
  readonly from: string
  readonly to: string
}

/** Nothing else is truth: what is derived, and which generations there are, follows from these and from the settings. */
const copied = ['utterances', 'completions'] as const

type Environment = Parameters<typeof configFrom>[0]

export async function logCopy(options: LogCopyOptions, environment: Environment): Promise<void> {
  const [source, target] = [configOf(options.from, environment), configOf(options.to, environment)]
  if (options.from === options.to) throw new LoomlogError('input-invalid', 'the log cannot be copied onto itself')
  const from = await openLog(source)
  try {
    const to = await openLog(target)
    try {
      await copy(from, to, { partitions: target.partitions, json: options.json })
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function copy(from: Log, to: Log, { partitions, json }: Output & { partitions: number }): Promise<void> {
  const existing = (await to.topics()).find(({ name }) => name === 'utterances')
  const there = new Set((await from.topics()).map(({ name }) => name))
  if (!there.has('utterances')) throw new LoomlogError('not-found', 'the source holds no log')
  const translate = translator(from, to)
  const done = []
  for (const name of copied.filter((topic) => there.has(topic))) {
    const { retentionMs } = topicSpec(name)
    await to.createTopic({ name, partitions: existing?.partitions ?? partitions, retentionMs })
    const topic = await copyTopic(name, from, to, translate)
    done.push(topic)
    if (!json)
      print(`${topic.topic}: ${count(topic.records)} records, each checked; ${count(topic.before)} known before`)
  }
  if (json) printJson(done)
}

function configOf(place: string, environment: Environment): Config {
  const [kind, ...rest] = place.split(':')
  const where = rest.join(':')
  if (where !== '' && kind === 'sqlite') return configFrom({ ...environment, LOOMLOG_LOG: kind, LOOMLOG_DIR: where })
  if (where !== '' && kind === 'kafka') {
    return configFrom({ ...environment, LOOMLOG_LOG: kind, LOOMLOG_KAFKA_BROKERS: where })
  }
  throw new LoomlogError('input-invalid', `${place} names no log: expected sqlite:DIR or kafka:HOST:PORT,…`)
}
