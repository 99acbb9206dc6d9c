/**
 * The configuration of a local node, broker and controller in one. A single node keeps the one copy of a record. Of
 * more nodes, up to three keep a copy, and all of these except one must have it before it is acknowledged. Delays that
 * only large clusters need are switched off.
 */

import type { SecuredListener } from './secured-listener.ts'

export interface NodePorts {
  readonly broker: number
  readonly controller: number
}

export interface ServerOptions {
  /** The ports of all nodes. The id of a node is its position, counted from 1. */
  readonly cluster: readonly NodePorts[]
  readonly node: number
  readonly dataDir: string
  /** A second listener, with TLS and SASL. */
  readonly secured: SecuredListener | null
}

export function serverProperties({ cluster, node, dataDir, secured }: ServerOptions): string {
  const own = cluster[node - 1] as NodePorts
  const copies = Math.min(3, cluster.length)
  const leastInSync = Math.max(1, copies - 1)
  const more = secured ? `,SECURED://127.0.0.1:${secured.port}` : ''
  const advertised = `PLAINTEXT://127.0.0.1:${own.broker}${more}`
  const properties: Record<string, string | number> = {
    'process.roles': 'broker,controller',
    'node.id': node,
    'controller.quorum.voters': cluster.map(({ controller }, at) => `${at + 1}@127.0.0.1:${controller}`).join(','),
    listeners: `${advertised},CONTROLLER://127.0.0.1:${own.controller}`,
    'advertised.listeners': advertised,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': dataDir,
    'auto.create.topics.enable': 'false',
    'default.replication.factor': copies,
    'min.insync.replicas': leastInSync,
    'offsets.topic.replication.factor': copies,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': leastInSync,
    'transaction.state.log.num.partitions': 4,
    // The default, 6 s, is longer than a test wants to wait for a dead member.
    'group.min.session.timeout.ms': 500,
    'group.initial.rebalance.delay.ms': 0,
    // A minute by default. Three nodes on a busy machine need longer: they would exit.
    'initial.broker.registration.timeout.ms': 180_000,
    'transaction.abort.timed.out.transaction.cleanup.interval.ms': 1000,
    'file.delete.delay.ms': 1000,
    ...secured?.properties,
  }
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
