/**
 * Connections to the cluster, below kafkajs's consumer. That consumer can't read without a group, gives up a partition before its handler
 * has returned, and returns records of aborted transactions when several overlap; so reading and membership use kafkajs's
 * connections with requests of ours (wire/).
 */
import { Kafka, type KafkaConfig, logLevel, type RetryOptions } from 'kafkajs'
import { OpenTransactions } from './open-transactions.ts'
import { withOwnRequests } from './wire/broker-requests.ts'
import type { Cluster } from './wire/kafkajs-cluster.ts'
import { KafkaCluster, type WithRetrier } from './wire/kafkajs-internals.ts'
import { Sockets } from './wire/sockets.ts'

export type Security = Pick<KafkaConfig, 'ssl' | 'sasl'>

export interface Connect {
  readonly kafka: Kafka
  /** How often, and after which pauses, a failed request is tried again. */
  readonly retry: RetryOptions
  /** A cluster with connections of its own: requests on one connection are answered one after the other. */
  readonly cluster: () => Cluster
  readonly openTransactions: OpenTransactions
  /** Cuts every connection, those of readers that still follow included. */
  readonly close: () => void
}

/** Quick at first, because the commonest reason is a transaction of ours whose end is still being written. */
const retry = { initialRetryTime: 5, multiplier: 2, maxRetryTime: 1_000, retries: 30 }

export function connectTo(
  brokers: readonly string[],
  clientId: string,
  security: Security,
  notice: (text: string) => void = () => {},
): Connect {
  const sockets = new Sockets()
  const ofClusters = new Set<Sockets>()
  const config = {
    ...security,
    brokers: [...brokers],
    clientId,
    retry,
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
  }
  const kafka = new Kafka({ ...config, socketFactory: sockets.factory as never, logLevel: logLevel.NOTHING })
  const cluster = () => {
    const own = new Sockets()
    ofClusters.add(own)
    const made = new KafkaCluster({
      ...config,
      socketFactory: own.factory,
      logger: kafka.logger(),
      enforceRequestTimeout: true,
      metadataMaxAge: 60_000,
      allowAutoTopicCreation: false,
      isolationLevel: 0,
    })
    const { createBroker } = made.brokerPool
    made.brokerPool.createBroker = (options) => withOwnRequests(createBroker(options))
    for (const retrying of [made, made.brokerPool]) retryUntilClosed(retrying, own)
    made.disconnect = async () => {
      own.close()
      ofClusters.delete(own)
    }
    return made
  }
  const close = () => {
    for (const open of [sockets, ...ofClusters]) open.close()
  }
  return { kafka, retry, cluster, openTransactions: new OpenTransactions(notice), close }
}

/** kafkajs takes a refused socket for a broker that may come back, and would retry for half a minute. */
function retryUntilClosed(retrying: WithRetrier, sockets: Sockets): void {
  const { retrier } = retrying
  retrying.retrier = (attempt) =>
    retrier(async (...of) => {
      sockets.throwIfClosed()
      return await attempt(...of)
    })
}
