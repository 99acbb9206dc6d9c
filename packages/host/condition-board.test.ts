import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { otherConditions, publishConditions, removeStaleConditions, withdrawConditions } from './condition-board.ts'
import { Conditions } from './conditions.ts'

const quiet = { info() {}, warn() {}, debug() {} }

/** Publishes a condition, and stays until its stdin ends. */
const publisher = `
  const [dir, pid, text] = process.argv.slice(1)
  Object.defineProperty(process, 'pid', { value: Number(pid) })
  const { publishConditions } = await import(${JSON.stringify(new URL('./condition-board.ts', import.meta.url).href)})
  await publishConditions(dir, { current: new Map([['paused', { text, since: 5 }]]) })
  process.stdout.write('published')
  process.stdin.resume()
`

async function folderOf(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-board-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function startPublisher(t: TestContext, ...args: readonly [dir: string, pid: string, text: string]) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', publisher, ...args])
  t.after(() => child.kill())
  await once(child.stdout, 'data')
}

test('a process sees the conditions of others, not its own, and none of a process that is gone', async (t) => {
  const dir = await folderOf(t)
  assert.deepEqual(await otherConditions(dir), [])
  const conditions = new Conditions(quiet)
  conditions.begin('paused topic-loom.x', 'topic-loom waits: the endpoint is away')
  await publishConditions(dir, conditions)
  assert.deepEqual(await otherConditions(dir), [], 'its own are known to it')
  const [own = ''] = await readdir(join(dir, 'conditions'))
  const other = join(dir, 'conditions', 'another.json')
  const published = { process: '1 on here', conditions: [{ text: 'another waits', since: 5 }] }
  await writeFile(other, JSON.stringify(published))
  await writeFile(join(dir, 'conditions', 'torn.json'), 'half of a fi')
  assert.deepEqual(await otherConditions(dir), [{ process: '1 on here', text: 'another waits', since: 5 }])
  const longAgo = new Date(Date.now() - 60_000)
  await utimes(other, longAgo, longAgo)
  assert.deepEqual(await otherConditions(dir), [])
  const names = [own, 'another.json', 'torn.json'].sort()
  assert.deepEqual((await readdir(join(dir, 'conditions'))).sort(), names, 'a reader changes nothing')
  await removeStaleConditions(dir)
  assert.deepEqual((await readdir(join(dir, 'conditions'))).sort(), [own, 'torn.json'].sort(), 'its file is removed')
  await withdrawConditions(dir)
  assert.ok(!(await readdir(join(dir, 'conditions'))).includes(own))
})

test('processes with equal ids, as in containers that share the folder, hide no condition of each other', async (t) => {
  const dir = await folderOf(t)
  const pid = String(process.pid)
  await Promise.all([startPublisher(t, dir, pid, 'one waits'), startPublisher(t, dir, pid, 'two waits')])
  const others = await otherConditions(dir)
  assert.deepEqual(others.map(({ text }) => text).sort(), ['one waits', 'two waits'])
  assert.equal(others[0]?.process, `${pid} on ${hostname()}`)
})
