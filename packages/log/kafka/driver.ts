/**
 * Connections to the cluster. kafkajs's consumer is not used: it can't read without a group, gives up a partition
 * before its handler has returned, and returns records of aborted transactions when several overlap. So readers and
 * members send their own requests (wire/) on kafkajs's connections.
 */
import { Kafka, type KafkaConfig, logLevel, type RetryOptions } from 'kafkajs'
import { OpenTransactions } from './open-transactions.ts'
import { withReplacedRequests } from './wire/broker-requests.ts'
import type { Cluster } from './wire/kafkajs-cluster.ts'
import { KafkaCluster, type WithRetrier } from './wire/kafkajs-internals.ts'
import { Sockets } from './wire/sockets.ts'

export type Security = Pick<KafkaConfig, 'ssl' | 'sasl'>

export interface Connect {
  readonly kafka: Kafka
  /** How often, and after which pauses, a failed request is tried again. */
  readonly retry: RetryOptions
  /** A cluster with its own connections, because a broker answers the requests of a connection one after the other. */
  readonly cluster: () => Cluster
  readonly openTransactions: OpenTransactions
  /** For a person who operates the log. */
  readonly notice: (text: string) => void
  /** Closes every connection, those of readers that still follow included. */
  readonly close: () => void
}

/** The first retries are quick: the usual cause is our previous transaction, whose end is still being written. */
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
    made.brokerPool.createBroker = (options) => withReplacedRequests(createBroker(options))
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
  return { kafka, retry, cluster, openTransactions: new OpenTransactions(notice), notice, close }
}

/** Ends the retries once the sockets are closed: kafkajs takes a closed socket for a broker that may come back. */
function retryUntilClosed(retrying: WithRetrier, sockets: Sockets): void {
  const { retrier } = retrying
  retrying.retrier = (attempt) =>
    retrier(async (...of) => {
      sockets.throwIfClosed()
      return await attempt(...of)
    })
}
