/** The pipeline's fixture with its log on Kafka: the same conversation, the same fake endpoint, another environment. */
import type { TestingCluster } from '@loomlog/kafka-local/testing-cluster'
import type { Fixture } from '../pipeline/fixture.ts'
import type { Environment } from '../pipeline/loomlog.ts'

export function withKafkaLog<T extends Pick<Fixture, 'environment'>>(
  made: T,
  cluster: TestingCluster,
  name: string,
): T {
  return { ...made, environment: { ...made.environment, ...kafkaLogSettings(cluster.options, name).log } }
}

/** @param name distinguishes the topics of one run from another's */
export function kafkaLogSettings(
  { brokers, registry, environment }: TestingCluster['options'],
  name: string,
): { readonly log: Environment; readonly sessionMs: number } {
  // Brokers allow no shorter session by default.
  const sessionMs = process.env.LOOMLOG_TEST_BROKERS ? 6_000 : 1_000
  const log = {
    LOOMLOG_LOG: 'kafka',
    LOOMLOG_KAFKA_BROKERS: brokers.join(','),
    LOOMLOG_REGISTRY_URL: registry.url,
    LOOMLOG_KAFKA_ENVIRONMENT: `${environment}-${name}`,
    LOOMLOG_SESSION_MS: String(sessionMs),
  }
  return { log, sessionMs }
}
