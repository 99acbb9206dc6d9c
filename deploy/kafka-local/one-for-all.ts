/**
 * One Kafka for a whole run of the tests: a test that runs them all starts it, and it comes up while the first of them are at work. They find
 * it by a file, which is there as soon as it serves, or has failed. Where it is a local one, it has a secured listener too.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDockerKafka } from './docker-kafka.ts'
import { startLocalKafka } from './kafka-local.ts'
import type { Secured } from './secured.ts'

export interface OneForAll {
  readonly brokers: readonly string[]
  readonly registryUrl: string
  readonly secured: Secured | null
}

type Told = OneForAll | { readonly failed: string }

const variable = 'LOOMLOG_TEST_RUN'
const startupMs = 240_000

/** Returns before it serves. Every process that is started from now on finds it. */
export async function startOneForAll(kind: 'Docker' | 'Java'): Promise<{ stop(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-test-run-'))
  const file = join(dir, 'kafka.json')
  process.env[variable] = file
  const tell = async (told: Told) => {
    await writeFile(`${file}.part`, JSON.stringify(told))
    await rename(`${file}.part`, file)
  }
  const starting = kind === 'Docker' ? dockerKafka() : startLocalKafka({ listeners: 'secured' })
  const telling = starting.then(
    ({ brokers, registryUrl, secured }) => {
      console.log(`Kafka for these tests: from ${kind}, ${brokers.join(',')}`)
      return tell({ brokers, registryUrl, secured })
    },
    (error) => tell({ failed: String(error) }),
  )
  return {
    async stop() {
      await telling
      await starting.then((started) => started.stop()).catch(() => {})
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function dockerKafka() {
  return { ...(await startDockerKafka()), secured: null }
}

/** That of the run which started this process; null if none did. */
export async function oneForAll(): Promise<OneForAll | null> {
  const file = process.env[variable]
  if (file === undefined) return null
  for (const deadline = performance.now() + startupMs; !existsSync(file); await sleep(100)) {
    if (performance.now() > deadline) throw new Error(`the Kafka of this run does not serve after ${startupMs} ms`)
  }
  const told = JSON.parse(await readFile(file, 'utf8')) as Told
  if ('failed' in told) throw new Error(`the Kafka of this run did not start: ${told.failed}`)
  return told
}
