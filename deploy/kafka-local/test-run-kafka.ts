/**
 * One Kafka for a whole test run. It starts while the first tests run; a file holds its addresses, or the failure of
 * its start. A local one has a secured listener too.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDockerKafka } from './docker-kafka.ts'
import { startLocalKafka } from './kafka-local.ts'
import type { SecuredListener } from './secured-listener.ts'

export interface TestRunKafka {
  readonly brokers: readonly string[]
  readonly registryUrl: string
  readonly secured: SecuredListener | null
  /** The data of a local one, which a test may damage in topics of its own. */
  readonly dir: string | null
}

type StartOutcome = TestRunKafka | { readonly failed: string }

const variable = 'LOOMLOG_TEST_RUN'
const startupMs = 240_000

/** Returns before Kafka serves. Every process started after this call finds it. */
export async function startTestRunKafka(kind: 'Docker' | 'Java'): Promise<{ stop(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-test-run-'))
  const file = join(dir, 'kafka.json')
  process.env[variable] = file
  const publish = async (outcome: StartOutcome) => {
    await writeFile(`${file}.part`, JSON.stringify(outcome))
    await rename(`${file}.part`, file)
  }
  const starting = kind === 'Docker' ? dockerKafka() : startLocalKafka({ listeners: 'secured' })
  const publishing = starting.then(
    ({ brokers, registryUrl, secured, dir: data }) => {
      console.log(`Kafka for these tests: from ${kind}, ${brokers.join(',')}`)
      return publish({ brokers, registryUrl, secured, dir: data })
    },
    (error) => publish({ failed: String(error) }),
  )
  return {
    async stop() {
      await publishing
      await starting.then((started) => started.stop()).catch(() => {})
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function dockerKafka() {
  return { ...(await startDockerKafka()), secured: null, dir: null }
}

/** The Kafka of the run that started this process; null: none. */
export async function testRunKafka(): Promise<TestRunKafka | null> {
  const file = process.env[variable]
  if (file === undefined) return null
  for (const deadline = performance.now() + startupMs; !existsSync(file); await sleep(100)) {
    if (performance.now() > deadline) throw new Error(`the Kafka of this run does not serve after ${startupMs} ms`)
  }
  const outcome = JSON.parse(await readFile(file, 'utf8')) as StartOutcome
  if ('failed' in outcome) throw new Error(`the Kafka of this run did not start: ${outcome.failed}`)
  return outcome
}
