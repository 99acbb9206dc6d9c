import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { adoptGeneration, changeGenerations, defineGeneration } from '@loomlog/generations/store'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { Throttle } from '@loomlog/runtime/throttle'
import { Codec } from '@loomlog/schemas/codec'
import type { GenerationStatus } from '@loomlog/schemas/events'
import { type HostedPart, Hosting } from './hosting.ts'

const planOf = (id: string) => ({ id, stages: [], viewEmbedder: 'toy' })

/** A log whose live generation is `a`. Every generation has a part of its own, and all share one part. */
async function hosted(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-hosting-'))
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'generations', partitions: 1, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const throttles = new Map<string, Throttle>()
  const part = (group: string): HostedPart => ({
    group,
    async start(throttle) {
      throttles.set(group, throttle)
      return { close: async () => void throttles.delete(group) }
    },
  })
  await adoptGeneration(log, codec, planOf('a'))
  const follower = await GenerationsFollower.open({ log, codec, onTemporaryFailure: onError, onError })
  let looks = 0
  const partsOf = async (_: unknown, { id }: { readonly id: string }) => {
    looks += 1
    return [part('shared'), part(id)]
  }
  const hosting = await Hosting.start({ follower, partsOf, onTemporaryFailure: onError, onError })
  t.after(async () => {
    await hosting.close()
    await follower.close()
    await log.close()
    await rm(dir, { recursive: true })
    assert.deepEqual([errors, throttles.size], [[], 0])
  })
  const runs = async (...keys: readonly string[]) => {
    for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(20)) {
      if ([...throttles.keys()].sort().join() === [...keys].sort().join()) return
    }
    assert.fail(`${keys} should run, and ${[...throttles.keys()]} do`)
  }
  const become = (generation: string, previous: GenerationStatus, status: GenerationStatus) => {
    const change = { type: 'GenerationStatusChanged', generation, previous, status, share: null, at: 0 } as const
    return changeGenerations(log, codec, change)
  }
  return { log, codec, throttles, runs, become, hosting, looks: () => looks }
}

test('parts start, stop and resume with their generation, and a shared part runs once, until its last generation stops', async (t) => {
  const { log, codec, runs, become } = await hosted(t)
  await runs('shared', 'a')
  await defineGeneration(log, codec, planOf('b'))
  await become('b', 'defined', 'running')
  await runs('shared', 'a', 'b')
  await become('b', 'running', 'paused')
  await runs('shared', 'a')
  await become('b', 'paused', 'running')
  await runs('shared', 'a', 'b')
  await become('b', 'running', 'cancelled')
  await runs('shared', 'a')
})

test('refreshes that come faster than they are processed do not queue up', async (t) => {
  const { hosting, looks } = await hosted(t)
  const before = looks()
  for (let i = 0; i < 100; i += 1) hosting.refresh()
  await sleep(200)
  assert.equal(looks() - before, 1)
})

test('background work is throttled until it is promoted, without a restart', async (t) => {
  const { log, codec, throttles, runs, become } = await hosted(t)
  await defineGeneration(log, codec, planOf('b'))
  await become('b', 'defined', 'running')
  await runs('shared', 'a', 'b')
  const [live, behind, shared] = [throttles.get('a'), throttles.get('b'), throttles.get('shared')]
  await live?.run(async () => {}, new AbortController().signal)
  const room = (throttle: Throttle | undefined) => throttle?.maxInFlight ?? 0
  assert.ok(room(behind) < room(live), 'beside live work it reads less ahead')
  assert.equal(room(shared), room(live), 'a part that the live generation shares is live')
  const promoted = { type: 'GenerationPromoted', generation: 'b', tenant: null, previous: 'a', at: 0 } as const
  await changeGenerations(log, codec, { ...promoted, cause: 'promoted' })
  for (const deadline = Date.now() + 20_000; room(behind) < room(shared) && Date.now() < deadline; await sleep(20)) {
    await live?.run(async () => {}, new AbortController().signal)
  }
  assert.equal(room(behind), room(shared))
})
