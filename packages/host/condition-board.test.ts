import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { otherConditions, publishConditions, withdrawConditions } from './condition-board.ts'
import { Conditions } from './conditions.ts'

const quiet = { info() {}, warn() {}, debug() {} }

test('a process sees the conditions of others, not its own, and none of a process that is gone', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-board-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  assert.deepEqual(await otherConditions(dir), [])
  const conditions = new Conditions(quiet)
  conditions.begin('paused topic-loom.x', 'topic-loom waits: the endpoint is away')
  await publishConditions(dir, conditions)
  assert.deepEqual(await otherConditions(dir), [], 'its own are known to it')
  const [own = ''] = await readdir(join(dir, 'conditions'))
  const other = join(dir, 'conditions', '1.json')
  await writeFile(other, JSON.stringify([{ text: 'another waits', since: 5 }]))
  await writeFile(join(dir, 'conditions', '2.json'), 'half of a fi')
  assert.deepEqual(await otherConditions(dir), [{ pid: 1, text: 'another waits', since: 5 }])
  const longAgo = new Date(Date.now() - 60_000)
  await utimes(other, longAgo, longAgo)
  assert.deepEqual(await otherConditions(dir), [])
  await withdrawConditions(dir)
  assert.ok(!(await readdir(join(dir, 'conditions'))).includes(own))
})
