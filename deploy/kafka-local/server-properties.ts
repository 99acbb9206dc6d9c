/** The configuration of the local broker: one copy of everything, and no waiting that only large clusters need. */

export interface ServerOptions {
  readonly brokerPort: number
  readonly controllerPort: number
  readonly dataDir: string
}

export function serverProperties({ brokerPort, controllerPort, dataDir }: ServerOptions): string {
  const properties: Record<string, string | number> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${brokerPort},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${brokerPort}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': dataDir,
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
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
