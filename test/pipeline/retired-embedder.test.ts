/** A log whose recipes and views name an embedder that an earlier version came with. */
import assert from 'node:assert/strict'
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startPipeline } from '@loomlog/app/pipeline'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import { freePorts } from '@loomlog/kafka-local/free-ports'
import type { Processor } from '@loomlog/runtime/processor'
import { startService, untilHealth, untilReady } from '../services/service.ts'
import { type Fixture, fixture, ingestArgs } from './fixture.ts'
import { type Environment, loomlog } from './loomlog.ts'
import { older as olderVersion } from './older-version.ts'

const byRules = { LOOMLOG_MODEL: '', LOOMLOG_EMBEDDER: 'words' }
const wayOut = 'loomlog generation start --set embedder=words-256 --set view-embedder=words-256 --wait'
const useLite = { name: 'use-lite-512', dimensions: 512 }
/** All vectors are alike. */
const useLiteConfig = {
  vectorSpace: useLite,
  async open() {
    const alike = new Float32Array(useLite.dimensions).fill(1 / Math.sqrt(useLite.dimensions))
    const embed = async (texts: readonly string[]) => texts.map(() => alike.slice())
    return { vectorSpace: useLite, embed, close: async () => {} }
  },
}
const late = { id: 'late', conversation: 'c0', speaker: 'Ada', at: '2026-01-06T00:00:00Z', text: 'The kayak is green.' }
const silent = { info() {}, warn() {}, debug() {} }

test('a memory of use-lite still serves, and the commands name how to derive it with another embedder', async (t) => {
  const made = await fixture(t, 6, byRules)
  const older = await deriveByUseLite(made)
  await appendFile(made.file, `\n${JSON.stringify(late)}`)
  const ingest = await ran(made, ...ingestArgs(made, folderOf(made)))
  assert.match(ingest, /frozen: topic-loom is derived with the embedder use-lite-512, and this process has words-256: /)

  const status = await ran(made, 'status')
  assert.match(status, new RegExp(`frozen: topic-loom is .*: ${wayOut}\n`))
  assert.match(status, new RegExp(`frozen: the views are .*: ${wayOut}\n`))
  assert.match(status, /memories are found by their words alone/)
  assert.deepEqual(await firstMemory(made, 'an adopted cat'), { id: 'u3', generation: older })
  assert.deepEqual(await firstMemory(made, 'a green kayak'), { id: late.id, generation: older })

  const [, ...command] = wayOut.split(' ')
  const newer = /\w+(?= has caught up)/.exec(await ran(made, ...command))?.[0] ?? ''
  await ran(made, 'generation', 'promote', newer)
  assert.deepEqual(await firstMemory(made, 'a green kayak'), { id: late.id, generation: newer })
  assert.doesNotMatch(await ran(made, 'status'), /frozen|by their words alone/)
})

test('a generation that would keep use-lite in a part is refused, with the command that replaces it everywhere', async (t) => {
  const made = await fixture(t, 2, byRules)
  const older = await deriveByUseLite(made)
  const refused = async (reason: string, ...args: readonly string[]) => {
    const run = await loomlog(['generation', ...args], inFolder(made))
    assert.equal(run.code, 2, run.stdout)
    assert.match(run.stderr, new RegExp(`${reason} with the embedder use-lite-512, .*: ${wayOut}`))
  }
  await refused('the views are made', 'start', '--set', 'embedder=words-256', '--wait')
  await refused('topic-loom is derived', 'plan', '--set', 'view-embedder=words-256')
  await refused('topic-loom is derived', 'start', '--set', 'topic-loom.maxUtterances=12')
  await refused('topic-loom is derived', 'start', older, '--wait')
})

test('an older version with use-lite is not upgraded by itself, and commands on its log end', async (t) => {
  const made = await fixture(t, 2, byRules)
  const live = await deriveByUseLite(made, olderVersion)
  const news = new RegExp(`It needs a command, since topic-loom is derived with the embedder .*: ${wayOut}\n`)
  await appendFile(made.file, `\n${JSON.stringify(late)}`)
  assert.match(await ran(made, ...ingestArgs(made, folderOf(made))), news)
  assert.match(await ran(made, 'correct', '--add', 'The boat is red.', '--conversation', 'c0'), news)
  const listed = JSON.parse((await loomlog(['generation', 'list', '--json'], inFolder(made))).stdout)
  assert.deepEqual([listed.live, listed.generations.length], [live, 1])
})

test('a gateway is ready with a memory of use-lite, and has the condition that words alone find it', async (t) => {
  const made = await fixture(t, 6, byRules)
  const older = await deriveByUseLite(made)
  const [port] = await freePorts(1)
  const gateway = await startService(t, 'gateway', { ...inFolder(made), LOOMLOG_HTTP_PORT: `${port}` })
  await untilReady(gateway)
  const url = `http://127.0.0.1:${port}`
  const health = await (await fetch(`${url}/healthz`)).text()
  assert.match(health, /memories are found by their words alone, since the views are made with/)
  assert.equal((await firstMemory(made, 'an adopted cat', { LOOMLOG_URL: url })).generation, older)
  const materializer = await startService(t, 'materializer', inFolder(made))
  await untilHealth(materializer, '/readyz', 503, /^frozen: the views are made with the embedder use-lite-512/)
})

function folderOf({ dir }: Fixture): string {
  return join(dir, 'log')
}

function inFolder(made: Fixture): Environment {
  return { ...made.environment, LOOMLOG_DIR: folderOf(made) }
}

/**
 * Derives the file of the fixture by use-lite. Returns the generation.
 * @param processors default: the installed ones
 */
async function deriveByUseLite(made: Fixture, processors?: readonly Processor[]): Promise<string> {
  const settings = configFrom(inFolder(made))
  const host = await openHost({ ...settings, embedders: [useLiteConfig] })
  const text = await readFile(made.file, 'utf8')
  const place = { tenant: 'default', space: 'default' }
  await appendOnce(readFormat('jsonl', { file: made.file, text, place, appendedAt: 0 }), { ...host, dir: settings.dir })
  const conditions = new Conditions(silent)
  const pipeline = await startPipeline(host, { conditions, onNews() {}, ...(processors && { processors }) })
  await pipeline.caughtUp({ signal: new AbortController().signal, onProgress() {} })
  const { id } = pipeline.serving
  await pipeline.close()
  await host.close()
  return id
}

/** All that the command prints. */
async function ran(made: Fixture, ...args: readonly string[]): Promise<string> {
  const run = await loomlog(args, inFolder(made))
  assert.equal(run.code, 0, run.stderr)
  return run.stderr + run.stdout
}

async function firstMemory(made: Fixture, question: string, settings: Environment = {}) {
  const run = await loomlog(['recall', question, '--json'], { ...inFolder(made), ...settings })
  const { memories, generation } = JSON.parse(run.stdout)
  return { id: memories[0]?.id, generation }
}
