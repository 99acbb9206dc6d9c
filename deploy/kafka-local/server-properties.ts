/** The configuration of a broker for tests: one copy of everything, and no waiting that only large clusters need. */
import type { Secured } from './secured.ts'

type Properties = Readonly<Record<string, string | number>>

export interface ServerOptions {
  readonly brokerPort: number
  readonly controllerPort: number
  readonly dataDir: string
  /** A second listener, with TLS and SASL. */
  readonly secured?: Secured
}

/** What a single broker for tests has, wherever it runs. */
const oneBroker: Properties = {
  'process.roles': 'broker,controller',
  'node.id': 1,
  'controller.listener.names': 'CONTROLLER',
  'auto.create.topics.enable': 'false',
  'default.replication.factor': 1,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 4,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 4,
  // The default, 6 s, is longer than a test wants to wait for a dead member.
  'group.min.session.timeout.ms': 500,
  'group.initial.rebalance.delay.ms': 0,
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': 1000,
  'file.delete.delay.ms': 1000,
}

export function serverProperties({ brokerPort, controllerPort, dataDir, secured }: ServerOptions): string {
  const more = secured ? `,SECURED://127.0.0.1:${secured.port}` : ''
  const advertised = `PLAINTEXT://127.0.0.1:${brokerPort}${more}`
  const properties: Properties = {
    ...oneBroker,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `${advertised},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': advertised,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
    'log.dirs': dataDir,
    ...secured?.properties,
  }
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
