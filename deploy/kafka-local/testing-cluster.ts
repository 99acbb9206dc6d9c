/** The Kafka that tests run against: the one named in the environment, or one started for the run. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canRunKafka, fetchJars } from './jars.ts'
import { startLocalKafka } from './kafka-local.ts'

const { LOOMLOG_TEST_BROKERS, LOOMLOG_TEST_REGISTRY, CI } = process.env

export interface TestingCluster {
  /** For `openKafkaLog`: an environment and a state folder that nobody else uses. */
  readonly options: {
    readonly brokers: readonly string[]
    readonly registry: { readonly url: string }
    readonly environment: string
    readonly stateDir: string
  }
  stop(): Promise<void>
}

/** Why tests against a real Kafka are skipped; null if they run. In CI they always do. */
export async function whySkipped(): Promise<string | null> {
  if (LOOMLOG_TEST_BROKERS || CI) return null
  if ((await canRunKafka()) === 'no')
    return 'needs LOOMLOG_TEST_BROKERS and LOOMLOG_TEST_REGISTRY, or Java 17 and Maven'
  try {
    await fetchJars()
    return null
  } catch (error) {
    return `Maven can't fetch Kafka here: ${(error as Error).message.split('\n')[0]}`
  }
}

export async function testingCluster(): Promise<TestingCluster> {
  const local = LOOMLOG_TEST_BROKERS ? null : await startLocalKafka()
  const brokers = local?.brokers ?? LOOMLOG_TEST_BROKERS?.split(',') ?? []
  const registryUrl = local?.registryUrl ?? LOOMLOG_TEST_REGISTRY ?? ''
  const stateDir = await mkdtemp(join(tmpdir(), 'loomlog-state-'))
  return {
    options: {
      brokers,
      registry: { url: registryUrl },
      environment: `test-${randomBytes(4).toString('hex')}`,
      stateDir,
    },
    async stop() {
      await local?.stop()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}
