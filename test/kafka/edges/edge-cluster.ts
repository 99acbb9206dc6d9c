/**
 * The cluster of the edge tests: a broker with a plain listener and one with TLS and SASL, a registry behind HTTPS and
 * a password. The processes are configured by their environment alone, and their whole output is kept.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalKafka, startLocalKafka } from '@loomlog/kafka-local/kafka-local'
import { type TestRunKafka, testRunKafka } from '@loomlog/kafka-local/test-run-kafka'
import { type KafkaLogOptions, openKafkaLog } from '@loomlog/log/kafka'
import type { Log } from '@loomlog/log/port'
import { Kafka, logLevel } from 'kafkajs'
import { type CommandFixture, commandFixture } from '../../cli/fixture.ts'
import {
  type Environment,
  loomlog,
  type ProcessResult,
  type RunningProgram,
  startProgram,
} from '../../pipeline/loomlog.ts'
import { runService } from '../../services/service.ts'
import { type RegistryProxy, registryProxy } from './registry-proxy.ts'

type SecuredListener = NonNullable<LocalKafka['secured']>

export interface EdgeCluster {
  readonly kafka: TestRunKafka
  readonly secured: SecuredListener
  readonly registry: RegistryProxy
  readonly files: CommandFixture
  /** The environment of a process with valid credentials. */
  readonly environment: Environment
  /** The name in Kafka of a topic of loomlog. */
  named(topic: string): string
  /** A plain client of the same cluster. */
  readonly plain: Kafka
  openLog(changed?: Partial<KafkaLogOptions>): Promise<Log>
  /** The command line (`cli`), or a service by its name. */
  start(program: string, args: readonly string[], changed?: Environment): RunningProgram
  /** Runs a command to its end. */
  run(args: readonly string[], changed?: Environment): Promise<ProcessResult>
  /** The output of all processes and commands so far. */
  printed(): string
  remove(): Promise<void>
}

export async function edgeCluster(): Promise<EdgeCluster> {
  const files = await commandFixture()
  const here = await testRunKafka()
  const own = here?.secured ? null : await startLocalKafka({ listeners: 'secured' })
  const kafka = (own ?? here) as TestRunKafka
  const secured = kafka.secured as SecuredListener
  const registry = await registryProxy(kafka.registryUrl, secured.server)
  const name = `edges-${randomBytes(3).toString('hex')}`
  const brokers = [`127.0.0.1:${secured.port}`]
  const { scram } = secured.users
  const environment = {
    ...files.environment,
    LOOMLOG_LOG: 'kafka',
    LOOMLOG_PARTITIONS: '1',
    LOOMLOG_SESSION_MS: '1000',
    LOOMLOG_KAFKA_BROKERS: brokers.join(','),
    LOOMLOG_KAFKA_ENVIRONMENT: name,
    LOOMLOG_KAFKA_TLS: 'on',
    LOOMLOG_KAFKA_CA_FILE: secured.ca,
    LOOMLOG_KAFKA_CERT_FILE: secured.client.cert,
    LOOMLOG_KAFKA_KEY_FILE: secured.client.key,
    LOOMLOG_KAFKA_SASL: 'scram-sha-512',
    LOOMLOG_KAFKA_USERNAME: scram.username,
    LOOMLOG_KAFKA_PASSWORD: scram.password,
    LOOMLOG_REGISTRY_URL: registry.url,
    LOOMLOG_REGISTRY_CA_FILE: secured.ca,
    LOOMLOG_REGISTRY_USERNAME: registry.credentials.username,
    LOOMLOG_REGISTRY_PASSWORD: registry.credentials.password,
  }
  const started: RunningProgram[] = []
  const ended: ProcessResult[] = []
  const startService: EdgeCluster['start'] = (program, args, changed = {}) => {
    const whole = { ...environment, ...changed }
    const running = program === 'cli' ? startProgram(args, whole) : startProgram([program, ...args], whole, runService)
    started.push(running)
    return running
  }
  return {
    kafka,
    secured,
    registry,
    files,
    environment,
    named: (topic) => `${name}.${topic}`,
    plain: new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING }),
    openLog: (changed = {}) =>
      openKafkaLog({
        brokers,
        registry: { url: registry.url, auth: registry.credentials, ca: readFileSync(secured.ca, 'utf8') },
        environment: name,
        stateDir: join(files.folder, 'state'),
        security: { ssl: { ca: readFileSync(secured.ca, 'utf8') }, sasl: { mechanism: 'scram-sha-512', ...scram } },
        ...changed,
      }),
    start: startService,
    async run(args, changed = {}) {
      const result = await loomlog(args, { ...environment, ...changed })
      ended.push(result)
      return result
    },
    printed: () =>
      [...started.map(({ output }) => output()), ...ended.map((each) => each.stdout + each.stderr)].join(''),
    async remove() {
      for (const { process } of started) process.kill('SIGKILL')
      registry.close()
      await own?.stop()
      await files.remove()
    },
  }
}
