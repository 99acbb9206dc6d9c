/** The pipeline's fixture with its log on Kafka: the same conversation, the same fake endpoint, another environment. */
import type { TestingCluster } from '@loomlog/kafka-local/testing-cluster'
import type { Fixture } from '../pipeline/fixture.ts'
import type { Environment } from '../pipeline/loomlog.ts'

export function onKafka<T extends Pick<Fixture, 'environment'>>(made: T, { options }: TestingCluster, name: string): T {
  return { ...made, environment: { ...made.environment, ...environmentOf(options, name) } }
}

/** @param name keeps one run's topics apart from another's */
function environmentOf({ brokers, registry, environment }: TestingCluster['options'], name: string): Environment {
  return {
    LOOMLOG_LOG: 'kafka',
    LOOMLOG_KAFKA_BROKERS: brokers.join(','),
    LOOMLOG_REGISTRY_URL: registry.url,
    LOOMLOG_KAFKA_ENVIRONMENT: `${environment}-${name}`,
    // Brokers that are not ours allow nothing shorter, unless they are told to.
    LOOMLOG_SESSION_MS: process.env.LOOMLOG_TEST_BROKERS ? '6000' : '1000',
  }
}
