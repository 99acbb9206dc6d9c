/** `loomlog forget`: killed at steps and continued, no record of the forgotten speaker is in the log. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

const main = join(import.meta.dirname, '../../packages/cli/main.ts')

interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function runWith(args: readonly string[], settings: { readonly [name: string]: string }): Promise<CommandResult> {
  const env = { ...process.env, LOOMLOG_MODEL: '', ...settings }
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : null, stdout, stderr })
    })
  })
}

/** Files of the folder that hold the word. The logs of this test are plain, so a word of a record is found. */
function filesWith(word: string, dir: string): readonly string[] {
  return readdirSync(dir).filter((name) => name.startsWith('log.db') && readFileSync(join(dir, name)).includes(word))
}

const line = (id: string, speaker: string, text: string) =>
  JSON.stringify({ id, conversation: 'c', speaker, role: 'human', at: '2026-03-01T09:00:00Z', text })

for (const encryption of ['off', 'on'])
  test(`a forgetting that is killed at a step is continued, and keeps the others (encryption ${encryption})`, (t) =>
    killedAtEachStep(t, encryption))

async function killedAtEachStep(t: TestContext, encryption: string): Promise<void> {
  const run = (args: readonly string[], settings: { readonly [name: string]: string } = {}) =>
    runWith(args, { LOOMLOG_ENCRYPTION: encryption, ...settings })
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-forget-'))
  t.after(() => rm(dir, { recursive: true }))
  const file = join(dir, 'in.jsonl')
  const lines = [line('maya', 'Maya', 'I live in Porto.'), line('canary-id', 'Mallory', 'I live in Canarytown.')]
  await writeFile(file, lines.join('\n'))
  const on = ['--dir', join(dir, 'memory')]
  assert.equal((await run(['ingest', file, ...on])).code, 0)
  if (encryption === 'off') assert.notDeepEqual(filesWith('Canarytown', join(dir, 'memory')), [])
  const preview = await run(['forget', '--speaker', 'mallory', ...on, '--json'])
  assert.equal(JSON.parse(preview.stdout).utterances, 1)
  const killed = await run(['forget', '--speaker', 'mallory', '--yes', ...on], {
    LOOMLOG_CRASH_AT: 'forget.after-rewrite',
  })
  assert.equal(killed.code, null)
  const [, id = ''] = /forgetting ([0-9a-f]{32})/.exec(killed.stderr) ?? []
  for (const point of ['forget.before-list', 'forget.within-list', 'forget.after-erase'])
    assert.equal((await run(['forget', 'certificate', id, ...on], { LOOMLOG_CRASH_AT: point })).code, null, point)
  const certified = await run(['forget', 'certificate', id, ...on])
  assert.equal(certified.code, 0, certified.stderr)
  const certificate = join(dir, 'certificate.json')
  await writeFile(certificate, certified.stdout)
  for (const word of ['Canarytown', 'canary-id', 'Mallory'])
    assert.deepEqual(filesWith(word, join(dir, 'memory')), [], word)
  assert.equal((await run(['forget', 'verify', certificate, ...on])).code, 0)
  assert.equal((await run(['verify', ...on])).code, 0)
  const kept = await run(['tail', 'utterances', ...on])
  assert.match(kept.stdout, /I live in Porto/, 'the kept utterance is there')
  // Put back: the id and the bytes are found.
  await writeFile(file, lines.slice(1).join('\n'))
  assert.equal((await run(['ingest', file, ...on])).code, 0)
  const again = await run(['forget', 'verify', certificate, ...on])
  assert.equal(again.code, 1)
  assert.match(again.stdout, /forgotten utterances are in the log again/)
}
