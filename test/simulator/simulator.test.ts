import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testSeed } from '../seeded-random.ts'
import { plantedBugs } from './planted-bugs.ts'
import { type SimulationReport, simulate } from './simulate.ts'

const histories = 60
const seed = testSeed()
const plantMain = fileURLToPath(new URL('./planted-bug-main.ts', import.meta.url))

test(`through kills, stops and failures, nothing is lost, doubled, out of order or stuck (LOOMLOG_SEED=${seed})`, async () => {
  const { violations, seed: last } = await simulate({ seed, histories })
  assert.deepEqual(violations, [], `npm run simulate -- --seed ${last} --histories 1`)
})

test('the same seed always gives the same history', async () => {
  const { historiesPerMinute: _, ...first } = await simulate({ seed: 7, histories: 1 })
  const { historiesPerMinute: __, ...again } = await simulate({ seed: 7, histories: 1 })
  assert.deepEqual(again, first)
  assert.ok(first.timers > 0)
})

for (const { name, seed: from, histories: most } of plantedBugs) {
  test(`a planted bug is found: ${name}`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [plantMain, name, `${from}`, `${most}`])
    const report = JSON.parse(stdout) as SimulationReport
    assert.ok(report.violations.length > 0, `not found in ${report.histories} histories`)
  })
}
