/**
 * The Kafka that tests run against, the first available of these: the one named in the environment, the one of the
 * whole run, one in Docker, one in Java. Standard output names it.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canRunDocker, startDockerKafka } from './docker-kafka.ts'
import { canRunKafka, fetchJars } from './jars.ts'
import { startLocalKafka } from './kafka-local.ts'
import { testRunKafka } from './test-run-kafka.ts'

const { LOOMLOG_TEST_BROKERS, LOOMLOG_TEST_REGISTRY, CI } = process.env

export interface TestingCluster {
  /** For `openKafkaLog`: an environment and a state folder of its own. */
  readonly options: {
    readonly brokers: readonly string[]
    readonly registry: { readonly url: string }
    readonly environment: string
    readonly stateDir: string
  }
  stop(): Promise<void>
}

type Source = 'the environment' | 'the whole run' | 'Docker' | 'Java' | { readonly unavailable: string }

/**
 * Why tests against a real Kafka are skipped; null if they run. In CI they always do, and fail where there is no Kafka.
 */
export async function skipReason(): Promise<string | null> {
  if (CI) return null
  const found = await source()
  return typeof found === 'string' ? null : found.unavailable
}

/** Like `skipReason`, for tests that need a broker with special settings, which only Java starts. */
export async function localKafkaSkipReason(): Promise<string | null> {
  const missing = CI ? null : await missingForLocalKafka()
  return missing === null ? null : `needs ${missing}`
}

export async function testingCluster(): Promise<TestingCluster> {
  const found = await source()
  if (typeof found !== 'string') throw new Error(`tests on Kafka: ${found.unavailable}`)
  const { brokers, registryUrl, stop } = await startFrom(found)
  console.log(`Kafka for these tests: from ${found}, ${brokers.join(',')}`)
  const stateDir = await mkdtemp(join(tmpdir(), 'loomlog-state-'))
  return {
    options: {
      brokers,
      registry: { url: registryUrl },
      environment: `test-${randomBytes(4).toString('hex')}`,
      stateDir,
    },
    async stop() {
      await stop()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}

/** The kind of cluster to start for tests; null where one is running already, or none is available. */
export async function startableKind(): Promise<'Docker' | 'Java' | null> {
  const found = await source()
  return found === 'Docker' || found === 'Java' ? found : null
}

async function source(): Promise<Source> {
  if (LOOMLOG_TEST_BROKERS) {
    return LOOMLOG_TEST_REGISTRY
      ? 'the environment'
      : { unavailable: 'LOOMLOG_TEST_BROKERS needs LOOMLOG_TEST_REGISTRY too' }
  }
  if ((await testRunKafka()) !== null) return 'the whole run'
  if (await canRunDocker()) return 'Docker'
  const missing = await missingForLocalKafka()
  return missing === null
    ? 'Java'
    : { unavailable: `needs LOOMLOG_TEST_BROKERS and LOOMLOG_TEST_REGISTRY, or Docker, or ${missing}` }
}

async function missingForLocalKafka(): Promise<string | null> {
  if (!(await canRunKafka())) return 'Java 17 and Maven'
  try {
    await fetchJars()
    return null
  } catch (error) {
    return `a Maven that can fetch Kafka: ${(error as Error).message.split('\n')[0]}`
  }
}

async function startFrom(found: Extract<Source, string>) {
  if (found === 'Docker') return startDockerKafka()
  if (found === 'Java') return startLocalKafka()
  const given = { brokers: LOOMLOG_TEST_BROKERS?.split(',') ?? [], registryUrl: LOOMLOG_TEST_REGISTRY ?? '' }
  return { ...((await testRunKafka()) ?? given), stop: async () => {} }
}
