/**
 * The same broker and registry in containers, by testcontainers, for tests on machines with a Docker engine. Their host
 * ports are chosen before they start, because a broker advertises its address to clients.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { GenericContainer, StartedTestContainer } from 'testcontainers'

/** The versions of docker-compose.yml; this registry keeps its schemas in memory. */
const images = { kafka: 'apache/kafka:4.1.0', registry: 'apicurio/apicurio-registry-mem:2.6.13.Final' }
const startupMs = 180_000

export interface DockerKafka {
  readonly brokers: readonly string[]
  readonly registryUrl: string
  stop(): Promise<void>
}

/** Whether a Docker engine answers. */
export async function canRunDocker(): Promise<boolean> {
  const sockets = ['/var/run/docker.sock', join(homedir(), '.docker/run/docker.sock')]
  if (!process.env.DOCKER_HOST && !sockets.some((path) => existsSync(path))) return false
  try {
    const { getContainerRuntimeClient } = await import('testcontainers')
    await getContainerRuntimeClient()
    return true
  } catch {
    return false
  }
}

export async function startDockerKafka(): Promise<DockerKafka> {
  const { GenericContainer, getContainerRuntimeClient, RandomPortGenerator, Wait } = await import('testcontainers')
  const { host } = (await getContainerRuntimeClient()).info.containerRuntime
  const ports = new RandomPortGenerator()
  const [brokerPort, registryPort] = [await ports.generatePort(), await ports.generatePort()]
  const published = (made: GenericContainer, port: number) => made.withExposedPorts({ container: port, host: port })
  const started = await Promise.allSettled([
    published(new GenericContainer(images.kafka), brokerPort)
      .withEnvironment(kafkaEnvironment(host, brokerPort))
      .withStartupTimeout(startupMs)
      .start(),
    published(new GenericContainer(images.registry), registryPort)
      .withEnvironment({ QUARKUS_HTTP_PORT: String(registryPort) })
      .withWaitStrategy(Wait.forHttp('/apis/ccompat/v7/subjects', registryPort))
      .withStartupTimeout(startupMs)
      .start(),
  ])
  const containers: StartedTestContainer[] = []
  for (const each of started) if (each.status === 'fulfilled') containers.push(each.value)
  const stop = async () => {
    await Promise.all(containers.map((container) => container.stop()))
  }
  const failed = started.find((each) => each.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  const registryUrl = `http://${host}:${registryPort}/apis/ccompat/v7`
  return { brokers: [`${host}:${brokerPort}`], registryUrl, stop }
}

/** The image takes properties as variables: node.id as KAFKA_NODE_ID. As in server-properties.ts, for one node. */
function kafkaEnvironment(host: string, brokerPort: number): Record<string, string> {
  return {
    KAFKA_PROCESS_ROLES: 'broker,controller',
    KAFKA_NODE_ID: '1',
    KAFKA_CONTROLLER_QUORUM_VOTERS: '1@127.0.0.1:19093',
    KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
    KAFKA_LISTENERS: `PLAINTEXT://0.0.0.0:${brokerPort},CONTROLLER://127.0.0.1:19093`,
    KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${host}:${brokerPort}`,
    KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    KAFKA_LOG_DIRS: '/tmp/kafka-data',
    KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
    KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '500',
    KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  }
}
