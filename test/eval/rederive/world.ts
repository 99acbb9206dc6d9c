/**
 * The fixture of every part of the measurement: a new folder, some of LoCoMo's conversations, and a fake endpoint that
 * answers every task, in 200 ms in timed parts. The bundled embedder makes the view vectors.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { type FakeEndpoint, startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { Codec } from '@loomlog/schemas/codec'
import { hash, type Json } from '@loomlog/schemas/ids'
import { copyLogOnly } from '../../pipeline/fixture.ts'
import type { Environment } from '../../pipeline/loomlog.ts'
import { answerFor } from './answers.ts'
import type { Job, Outcome } from './derive-process.ts'

/** The latency of an answer in timed parts. */
export const usualLatencyMs = 200
const usualDimensions = 512
const deriving = fileURLToPath(new URL('./derive-process.ts', import.meta.url))

export interface World {
  readonly dir: string
  readonly file: string
  readonly utterances: number
  readonly endpoint: FakeEndpoint
  readonly environment: Environment
  /** Sets the latency of later answers. */
  setLatency(ms: number): void
  close(): Promise<void>
}

type Sample = { readonly sample_id: string; readonly conversation: object }

/** @param conversations the number of conversations, from the first on; answers have no latency until it is set */
export async function openWorld(data: string, conversations: number): Promise<World> {
  return worldOf((await samplesOf(data)).slice(0, conversations))
}

/**
 * A log of at least `utterances` utterances: the same conversations repeatedly, each time in new spaces. The fake
 * endpoint makes vectors of the usual length: a replay embeds nothing, and really embedding all texts once would take a
 * hundred times as long.
 */
export async function openLargeWorld(data: string, utterances: number): Promise<World> {
  const all = await samplesOf(data)
  const samples: Sample[] = []
  for (let count = 0, round = 0; count < utterances; round += 1) {
    const sample = all[round % all.length] as Sample
    samples.push({ ...sample, sample_id: `${sample.sample_id}-${round}` })
    count += turnsOf(sample)
  }
  const world = await worldOf(samples)
  const embedder = { LOOMLOG_EMBEDDER: 'openai:fake-embedder', LOOMLOG_EMBEDDER_DIMENSIONS: String(usualDimensions) }
  return { ...world, environment: { ...world.environment, ...embedder } }
}

async function samplesOf(data: string): Promise<readonly Sample[]> {
  return JSON.parse(await readFile(data, 'utf8')) as readonly Sample[]
}

function turnsOf({ conversation }: Sample): number {
  return Object.values(conversation).reduce((sum, each) => sum + (Array.isArray(each) ? each.length : 0), 0)
}

async function worldOf(samples: readonly Sample[]): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-rederive-'))
  const file = join(dir, 'locomo.json')
  await writeFile(file, JSON.stringify(samples))
  let latencyMs = 0
  const endpoint = await startFakeEndpoint({
    answer: answerFor,
    latencyMs: () => latencyMs,
    dimensions: usualDimensions,
  })
  const environment = {
    LOOMLOG_MODEL: 'fake-model',
    LOOMLOG_MODEL_URL: endpoint.baseUrl,
    LOOMLOG_API_KEY: 'fake-key',
    LOOMLOG_SESSION_MS: '5000',
  }
  return {
    dir,
    file,
    utterances: samples.reduce((sum, sample) => sum + turnsOf(sample), 0),
    endpoint,
    environment,
    setLatency(ms) {
      latencyMs = ms
    },
    async close() {
      await endpoint.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const nothingChanged: Job = { append: null, appendEvents: null, parts: ['stages', 'views'], prompts: {}, raised: [] }

/** Derives in its own process. */
export async function derive(
  world: Pick<World, 'environment'>,
  dir: string,
  job: Partial<Job> = {},
  settings: Environment = {},
): Promise<Outcome> {
  const env = { ...process.env, ...world.environment, ...settings, LOOMLOG_DIR: dir }
  const args = [deriving, JSON.stringify({ ...nothingChanged, ...job })]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 10_000_000 })
  return JSON.parse(stdout) as Outcome
}

/** Copies the log, the recorded answers and the caches to a new folder, without state, derived topics and views. */
export async function copyWithoutDerived(from: string, to: string): Promise<string> {
  await mkdir(to, { recursive: true })
  await copyLogOnly(from, to)
  const kept = (await readdir(from)).filter((file) => file === 'completions-index.db' || file === 'vectors.db')
  for (const file of kept) await cp(join(from, file), join(to, file))
  return to
}

type Event = { readonly type: string; readonly [field: string]: Json }

async function* eventsOf(dir: string, topics: readonly string[]): AsyncGenerator<{ key: string; event: Event }> {
  const log = openSqliteLog({ dir })
  const codec = await Codec.open(log.schemas)
  for (const topic of topics) {
    for await (const records of log.read({ topic, until: 'end' })) {
      for (const { key, value } of records) {
        if (key !== null) yield { key: `${topic} ${key}`, event: (await codec.decode(value)) as unknown as Event }
      }
    }
  }
  await log.close()
}

/** The hash of all derived events, in the order of each space, without log times; and the number of each kind. */
export async function derivedHash(dir: string, { topics }: Outcome) {
  const spaces = new Map<string, Json[]>()
  const kinds: Record<string, number> = {}
  for await (const { key, event } of eventsOf(dir, Object.values(topics))) {
    const { knownAt: _, ...timeless } = event
    kinds[event.type] = (kinds[event.type] ?? 0) + 1
    const of = spaces.get(key)
    if (of) of.push(timeless)
    else spaces.set(key, [timeless])
  }
  return { hash: hash([...spaces].sort(([a], [b]) => (a < b ? -1 : 1))), kinds }
}

/** The first utterance of each box, with its space. */
export async function boundaries(dir: string, { topics }: Outcome): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for await (const { event } of eventsOf(dir, [topics['topic-loom'] ?? ''])) {
    const [first] = (event.utterances ?? []) as readonly { readonly id: string }[]
    if (first) found.add(`${event.space} ${first.id}`)
  }
  return found
}
