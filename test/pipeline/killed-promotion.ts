/**
 * Kills a process at every named point of defining, starting and promoting a generation, on any log. Each run starts
 * from the state that the previous kill left; the last one finishes.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Generations } from '@loomlog/generations/generations'
import { liveGeneration } from '@loomlog/generations/pointers'
import { readGenerations } from '@loomlog/generations/store'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { generationCrashPoints } from '@loomlog/log/crash-points'
import type { Environment } from './loomlog.ts'

const program = fileURLToPath(new URL('./promote-once.ts', import.meta.url))

/** The points of a new log's first generation, then all points in the order of the list. */
export async function testKilledPromotion(environment: Environment): Promise<void> {
  for (const point of ['generation.within-define', 'generation.before-promote']) await killAt(environment, point)
  const first = await generationsIn(environment)
  assert.deepEqual([first.epoch, first.generations.size], [0, 1], 'it is defined and not yet live')
  for (const point of generationCrashPoints) {
    await killAt(environment, point)
    const now = await generationsIn(environment)
    assert.ok(now.generations.size <= 2)
    assert.ok(liveGeneration(now, null) !== null, `a generation is live after a kill at ${point}`)
    assert.deepEqual(
      now.history.filter(({ refused }) => refused !== null),
      [],
    )
  }
  assert.equal(await run(environment, {}), 0)
  const after = await generationsIn(environment)
  const live = liveGeneration(after, null)
  assert.deepEqual([after.generations.size, after.epoch, live?.epoch], [2, 2, 2])
  const moved = after.generations.get(live?.generation ?? '')
  assert.deepEqual([moved?.name, moved?.status], ['moved', 'running'])
  assert.ok(
    [...after.generations.values()].every(({ derivations }) =>
      Object.values(derivations).every((id) => after.derivations.has(id)),
    ),
  )
}

async function killAt(environment: Environment, point: string): Promise<void> {
  assert.equal(await run(environment, { LOOMLOG_CRASH_AT: point }), 'SIGKILL', `${point} is never reached`)
}

function run(environment: Environment, more: Environment): Promise<number | string | null> {
  const env = { ...process.env, ...environment, ...more }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  return new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)))
}

async function generationsIn(environment: Environment): Promise<Generations> {
  const host = await openHost(configFrom(environment))
  try {
    return await readGenerations(host.log, host.codec)
  } finally {
    await host.close()
  }
}
