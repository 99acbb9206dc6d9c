/** `loomlog forget`: killed at steps and continued, no record of the forgotten speaker is in the log. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

const main = join(import.meta.dirname, '../../packages/cli/main.ts')

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(args: readonly string[], settings: { readonly [name: string]: string } = {}): Promise<Ended> {
  const env = { ...process.env, LOOMLOG_ENCRYPTION: 'off', LOOMLOG_MODEL: '', ...settings }
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : null, stdout, stderr })
    })
  })
}

function recordsWith(word: string, dir: string): number {
  const db = new DatabaseSync(join(dir, 'log.db'), { readOnly: true })
  const found = db.prepare('select count(*) as n from records where instr(value, cast(? as blob)) > 0').get(word)
  db.close()
  return Number(found?.n)
}

const line = (id: string, speaker: string, text: string) =>
  JSON.stringify({ id, conversation: 'c', speaker, role: 'human', at: '2026-03-01T09:00:00Z', text })

test('a forgetting that is killed at a step is continued, destroys every record, and is certified', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-forget-'))
  t.after(() => rm(dir, { recursive: true }))
  const file = join(dir, 'in.jsonl')
  const lines = [line('maya', 'Maya', 'I live in Porto.'), line('canary-id', 'Mallory', 'I live in Canarytown.')]
  await writeFile(file, lines.join('\n'))
  const on = ['--dir', join(dir, 'memory')]
  assert.equal((await run(['ingest', file, ...on])).code, 0)
  assert.ok(recordsWith('Canarytown', join(dir, 'memory')) > 0)
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
    assert.equal(recordsWith(word, join(dir, 'memory')), 0, word)
  assert.equal((await run(['forget', 'verify', certificate, ...on])).code, 0)
  assert.equal((await run(['verify', ...on])).code, 0)
  // Put back: the id and the bytes are found.
  await writeFile(file, lines.slice(1).join('\n'))
  assert.equal((await run(['ingest', file, ...on])).code, 0)
  const again = await run(['forget', 'verify', certificate, ...on])
  assert.equal(again.code, 1)
  assert.match(again.stdout, /forgotten utterances are in the log again/)
})
