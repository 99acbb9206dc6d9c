/** `loomlog doctor` on a folder without a log, on logs in several states, and on a server. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { loomlog, type ProcessResult } from '../pipeline/loomlog.ts'
import { assertSucceeded, commandFixture, jsonLines, utteranceLine } from './fixture.ts'

interface Finding {
  readonly check: string
  readonly state: string
  readonly text: string
}

function findingsIn(run: ProcessResult): readonly Finding[] {
  return jsonLines(run)[0]?.findings as readonly Finding[]
}

function statesIn(run: ProcessResult): ReadonlyMap<string, string> {
  return new Map(findingsIn(run).map(({ check, state }) => [check, state]))
}

/** The folder itself, and everything in it: names, sizes and times of the last change. */
async function filesIn(dir: string): Promise<readonly string[]> {
  const names = ['.', ...(await readdir(dir, { recursive: true })).sort()]
  return Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(dir, name))
      return `${name} ${size} ${mtimeMs}`
    }),
  )
}

test('doctor finds no problem without a log and in a sound one, and changes nothing', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  const dir = place.environment.LOOMLOG_DIR ?? ''
  const before = await place.run('doctor')
  assertSucceeded(before)
  assert.match(before.stdout, /^ok +folder: .* loomlog init, ingest or up creates it$/m)
  assert.equal(existsSync(dir), false)
  assertSucceeded(await place.run('ingest', await place.file('talk.jsonl', utteranceLine())))
  await mkdir(join(dir, 'conditions'), { recursive: true })
  const stale = join(dir, 'conditions', 'dead.json')
  await writeFile(stale, JSON.stringify({ process: '1 on here', conditions: [{ text: 'waits', since: 5 }] }))
  await utimes(stale, 0, 0)
  const files = await filesIn(dir)
  const sound = await place.run('doctor', '--json')
  assertSucceeded(sound)
  const states = statesIn(sound)
  for (const check of ['log', 'topics', 'memory', 'process', 'parked', 'generation', 'model', 'embedder', 'access'])
    assert.equal(states.get(check), 'ok', check)
  assert.deepEqual(await filesIn(dir), files)
  const exposed = await loomlog(['doctor', '--json'], { ...place.environment, LOOMLOG_HTTP_HOST: '0.0.0.0' })
  assert.deepEqual([exposed.code, statesIn(exposed).get('access')], [2, 'problem'])
})

test('settings that differ from those of the log are named', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  assertSucceeded(await place.run('ingest', await place.file('talk.jsonl', utteranceLine())))
  const textsOf = (run: ProcessResult) => findingsIn(run).map(({ check, state, text }) => `${check} ${state}: ${text}`)
  const otherModel = await loomlog(['doctor', '--json'], { ...place.environment, LOOMLOG_MODEL: 'model-b' })
  assertSucceeded(otherModel)
  assert.ok(textsOf(otherModel).includes('model warning: rules, and LOOMLOG_MODEL is model-b'))
  const { LOOMLOG_EMBEDDER: _, LOOMLOG_EMBEDDER_DIMENSIONS: __, ...words } = place.environment
  const otherEmbedder = await loomlog(['doctor', '--json'], words)
  assert.equal(otherEmbedder.code, 2)
  assert.match(textsOf(otherEmbedder).join('\n'), /^settings problem: the views are made with .* and this process has/m)
})

test('the log of a process that was killed is examined, and a server that runs is found, with its version', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  const running = place.start('up', '--port', '0', '--json')
  const [started] = (await once(running.process.stdout as Readable, 'data')) as [Buffer]
  const { url } = JSON.parse(started.toString())
  const onServer = await place.run('doctor', '--url', url, '--json')
  assertSucceeded(onServer)
  for (const check of ['server', 'version', 'key']) assert.equal(statesIn(onServer).get(check), 'ok', check)
  const beside = await place.run('doctor', '--json')
  assertSucceeded(beside)
  assert.match(findingsIn(beside).find(({ check }) => check === 'process')?.text ?? '', /^derived by /)
  running.process.kill('SIGKILL')
  await running.finished
  const dir = place.environment.LOOMLOG_DIR ?? ''
  const names = (await readdir(dir)).sort()
  assertSucceeded(await place.run('doctor', '--json'))
  assert.deepEqual((await readdir(dir)).sort(), names)
})

test('a server that does not reply is a problem that may pass', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  const run = await place.run('doctor', '--url', 'http://127.0.0.1:1', '--json')
  assert.deepEqual([run.code, statesIn(run).get('server')], [1, 'problem'])
})
