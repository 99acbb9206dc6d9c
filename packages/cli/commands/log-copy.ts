/**
 * `loomlog log copy --from LOG --to LOG`: what people said and the answers that were paid for, into another log. Everything else is
 * derived from them there, by the next `loomlog up` or `ingest`, and nobody is asked again.
 */
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { copyTopic, translator } from '@loomlog/app/log-copy/topic-copy'
import { LoomlogError } from '@loomlog/errors'
import { type Config, configFrom } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import type { Log } from '@loomlog/log/port'
import { topicSpec } from '@loomlog/topics/catalogue'
import { checkIsThere } from '../config-of.ts'
import { count, type Output, print, printJson } from '../print.ts'

export interface LogCopyOptions extends Output {
  /** `sqlite:DIR`, `kafka:BROKERS` or `kafka:BROKERS/ENVIRONMENT`; the rest of the configuration comes from the environment. */
  readonly from: string
  readonly to: string
}

/** Nothing else is truth: what is derived, and which generations there are, follows from these and from the settings. */
const copied = ['utterances', 'completions'] as const

type Environment = Parameters<typeof configFrom>[0]

export async function logCopy(options: LogCopyOptions, environment: Environment): Promise<void> {
  const [source, target] = [configOf(options.from, environment), configOf(options.to, environment)]
  if (isSame(source, target)) throw new LoomlogError('input-invalid', 'the log cannot be copied onto itself')
  checkIsThere(source)
  const from = await openLog(source)
  try {
    const there = new Set((await from.topics()).map(({ name }) => name))
    if (!there.has('utterances')) throw new LoomlogError('not-found', `there is no log in ${options.from}`)
    const to = await openLog(target)
    try {
      await copy(from, to, { there, partitions: target.partitions, json: options.json })
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

interface Copying extends Output {
  readonly there: ReadonlySet<string>
  readonly partitions: number
}

async function copy(from: Log, to: Log, { there, partitions, json }: Copying): Promise<void> {
  const existing = (await to.topics()).find(({ name }) => name === 'utterances')
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
  else print('loomlog up, or an ingest, derives everything else from them there, and asks nobody')
}

function configOf(place: string, environment: Environment): Config {
  const [kind, ...rest] = place.split(':')
  const where = rest.join(':')
  if (where !== '' && kind === 'sqlite') return configFrom({ ...environment, LOOMLOG_LOG: kind, LOOMLOG_DIR: where })
  if (where !== '' && kind === 'kafka') {
    const [brokers, name = environment.LOOMLOG_KAFKA_ENVIRONMENT] = where.split('/')
    const settings = { LOOMLOG_KAFKA_BROKERS: brokers, LOOMLOG_KAFKA_ENVIRONMENT: name }
    return configFrom({ ...environment, LOOMLOG_LOG: kind, ...settings })
  }
  const expected = 'sqlite:DIR, kafka:HOST:PORT,… or kafka:HOST:PORT,…/ENVIRONMENT'
  throw new LoomlogError('input-invalid', `${place} names no log: expected ${expected}`)
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
