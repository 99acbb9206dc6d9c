/**
 * The fixture of the pipeline's tests: a log folder, a small conversation, and a fake endpoint that answers every task
 * and embedding and counts the calls.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { type FakeEndpoint, startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { catalogue } from '@loomlog/topics/catalogue'
import { fakeModelAnswer } from './fake-model.ts'
import { type Environment, loomlog } from './loomlog.ts'

/** A test, or another scope that runs functions at its end. */
interface AfterHook {
  after(end: () => Promise<unknown>): void
}

export interface Fixture {
  readonly dir: string
  readonly file: string
  readonly endpoint: FakeEndpoint
  readonly environment: Environment
  /** The ids of the utterances in the file, in its order. */
  readonly ids: readonly string[]
}

const speakers = ['Ada', 'Ben', 'Scout']
const matters = ['the boat needs a new engine', 'my sister moved to Porto', 'the talk was accepted', 'I adopted a cat']

/** Two interleaved conversations of `count` utterances in all. */
export async function fixture(test: AfterHook, count: number, settings: Environment = {}): Promise<Fixture> {
  const dir = await temporaryFolder(test)
  const lines = Array.from({ length: count }, (_, index) => ({
    id: `u${index}`,
    conversation: `c${index % 2}`,
    speaker: speakers[index % 3],
    role: index % 3 === 2 ? 'agent' : 'human',
    at: new Date(Date.UTC(2026, 0, 5) + index * 60_000).toISOString(),
    text: `Number ${index}: ${matters[index % 4]}.`,
  }))
  const file = join(dir, 'conversation.jsonl')
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  const endpoint = await startFakeEndpoint({ answer: fakeModelAnswer, dimensions: 16 })
  test.after(() => endpoint.close())
  const environment = {
    LOOMLOG_MODEL: 'fake-model',
    LOOMLOG_MODEL_URL: endpoint.baseUrl,
    LOOMLOG_API_KEY: 'fake-key',
    LOOMLOG_EMBEDDER: 'openai:fake-embedder',
    LOOMLOG_EMBEDDER_DIMENSIONS: '16',
    // Tests never resume a killed process, so the next run need not wait for a long session.
    LOOMLOG_SESSION_MS: '1000',
    ...settings,
  }
  return { dir, file, endpoint, environment, ids: lines.map((line) => line.id) }
}

async function temporaryFolder(test: AfterHook): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-test-'))
  // Processes of the test are killed later, and may still write.
  test.after(() => rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  return dir
}

export function ingestArgs(fixture: Fixture, dir: string): string[] {
  return ['ingest', fixture.file, '--dir', dir, '--json']
}

/** Ingests into a folder and returns the hash of the derived memory. */
export async function ingestAndHash(fixture: Fixture, dir: string): Promise<string> {
  const run = await loomlog(ingestArgs(fixture, dir), fixture.environment)
  if (run.code !== 0) throw new Error(`ingest failed: ${run.stderr}`)
  return dumpHash(fixture, dir)
}

export async function dumpHash(fixture: Fixture, dir: string): Promise<string> {
  const run = await loomlog(['dump', '--hash', '--json', '--dir', dir], fixture.environment)
  if (run.code !== 0) throw new Error(`dump failed: ${run.stderr}`)
  const { lines, sha256 } = JSON.parse(run.stdout) as { lines: number; sha256: string }
  if (lines === 0) throw new Error('nothing was derived')
  return sha256
}

/** Copies only the log's source topics and recorded answers: no derived topics, state or views. */
export async function copyLogOnly(from: string, to: string): Promise<void> {
  for (const name of ['log.db', 'encryption.key']) await cp(join(from, name), join(to, name))
  const log = openSqliteLog({ dir: to })
  for (const { group } of await log.groups()) await log.deleteGroup(group)
  const derivedTopics = catalogue.filter((topic) => topic.derivedFrom !== null).map((topic) => topic.name)
  for (const { name } of await log.topics()) {
    if (derivedTopics.some((topic) => name.startsWith(`${topic}.`))) await log.deleteTopic(name)
  }
  await log.close()
}
