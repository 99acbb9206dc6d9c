/** A log whose recipes and views name an embedder that an earlier version came with. */
import assert from 'node:assert/strict'
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { deriveAll } from '@loomlog/app/derive-all'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import { type Fixture, fixture, ingestArgs } from './fixture.ts'
import { loomlog } from './loomlog.ts'

const useLite = { name: 'use-lite-512', dimensions: 512 }
const late = { id: 'late', conversation: 'c0', speaker: 'Ada', at: '2026-01-06T00:00:00Z', text: 'The kayak is green.' }
const silent = { info() {}, warn() {}, debug() {} }

test('a memory of use-lite still serves, and the commands name how to derive it with another embedder', async (t) => {
  const made = await fixture(t, 6, { LOOMLOG_MODEL: '', LOOMLOG_EMBEDDER: 'words' })
  const older = await deriveByUseLite(made)
  await appendFile(made.file, `\n${JSON.stringify(late)}`)
  const ingest = await ran(made, ...ingestArgs(made, folderOf(made)))
  assert.match(ingest, /frozen: topic-loom is derived with the embedder use-lite-512, and this process has words-256: /)

  const status = await ran(made, 'status')
  assert.match(status, /frozen: topic-loom is .* loomlog generation start --set embedder=words-256\n/)
  assert.match(status, /frozen: the views are .* loomlog generation start --set view-embedder=words-256\n/)
  assert.match(status, /memories are found by their words alone/)
  assert.deepEqual(await firstMemory(made, 'an adopted cat'), { id: 'u3', generation: older })
  assert.deepEqual(await firstMemory(made, 'a green kayak'), { id: late.id, generation: older })

  const set = ['--set', 'embedder=words-256', '--set', 'view-embedder=words-256']
  const newer = /\w+(?= has caught up)/.exec(await ran(made, 'generation', 'start', ...set, '--wait'))?.[0] ?? ''
  await ran(made, 'generation', 'promote', newer)
  assert.deepEqual(await firstMemory(made, 'a green kayak'), { id: late.id, generation: newer })
  assert.doesNotMatch(await ran(made, 'status'), /frozen|by their words alone/)
})

function folderOf({ dir }: Fixture): string {
  return join(dir, 'log')
}

/** Derives the file of the fixture with all vectors alike. Returns the generation. */
async function deriveByUseLite(made: Fixture): Promise<string> {
  const settings = configFrom({ ...made.environment, LOOMLOG_DIR: folderOf(made) })
  const alike = new Float32Array(useLite.dimensions).fill(1 / Math.sqrt(useLite.dimensions))
  const embed = async (texts: readonly string[]) => texts.map(() => alike.slice())
  const open = async () => ({ vectorSpace: useLite, embed, close: async () => {} })
  const host = await openHost({ ...settings, embedders: [{ vectorSpace: useLite, open }] })
  const text = await readFile(made.file, 'utf8')
  const place = { tenant: 'default', space: 'default' }
  await appendOnce(readFormat('jsonl', { file: made.file, text, place, appendedAt: 0 }), { ...host, dir: settings.dir })
  const until = { signal: new AbortController().signal, onProgress() {} }
  const serving = await deriveAll(host, { conditions: new Conditions(silent), onNews() {}, ...until })
  await host.close()
  return serving?.id ?? assert.fail('nothing was derived')
}

/** All that the command prints. */
async function ran(made: Fixture, ...args: readonly string[]): Promise<string> {
  const run = await loomlog(args, { ...made.environment, LOOMLOG_DIR: folderOf(made) })
  assert.equal(run.code, 0, run.stderr)
  return run.stderr + run.stdout
}

async function firstMemory(made: Fixture, question: string) {
  const run = await loomlog(['recall', question, '--json'], { ...made.environment, LOOMLOG_DIR: folderOf(made) })
  const { memories, generation } = JSON.parse(run.stdout)
  return { id: memories[0]?.id, generation }
}
