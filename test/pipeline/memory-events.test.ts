/**
 * The feed of a real memory: it equals the views of the live generation, and a publisher that is killed publishes the
 * same.
 */
import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type CrashPoint, publisherCrashPoints } from '@loomlog/log/crash-points'
import type { PublishedEvent } from '@loomlog/schemas/events'
import { type Fixture, fixture, ingestAndHash } from './fixture.ts'
import { assertFeedEqualsViews, publishUnderKills, readFeed } from './killed-publisher.ts'
import { loomlog } from './loomlog.ts'

/** The order in which each point is reached: the points before a commit leave all work to do. */
const points: readonly CrashPoint[] = [
  'lease.after-take',
  'publish.before-commit',
  'commit.before-outputs',
  'commit.before-position',
  'commit.before-end',
  'commit.after-end',
  'publish.after-commit',
]
const switchPoints: readonly CrashPoint[] = ['publish.before-switch', 'commit.before-end', 'commit.after-end']

test('a publisher killed at every point publishes what an undisturbed one does, through a promotion and a rollback', async (t) => {
  const made = await fixture(t, 60)
  const [steady, killed] = [join(made.dir, 'steady'), join(made.dir, 'killed')]
  await ingestAndHash(made, steady)
  const start = ['generation', 'start', '--set', 'topic-loom.maxUtterances=3', '--name', 'short', '--wait']
  await command(made, steady, start)
  await cp(steady, killed, { recursive: true })
  for (const dir of [steady, killed]) {
    const environment = { ...made.environment, LOOMLOG_DIR: dir }
    const isKilled = dir === killed
    await publishUnderKills(environment, isKilled ? points : [])
    await assertFeedEqualsViews(environment)
    await command(made, dir, ['generation', 'promote', 'short'])
    await publishUnderKills(environment, isKilled ? switchPoints : [])
    await assertFeedEqualsViews(environment)
    await command(made, dir, ['generation', 'rollback'])
    await publishUnderKills(environment, isKilled ? ['publish.after-switch'] : [])
    await assertFeedEqualsViews(environment)
  }
  const passed = new Set([...points, ...switchPoints, 'publish.after-switch'])
  assert.deepEqual(
    [...publisherCrashPoints].filter((point) => !passed.has(point)),
    [],
    'every point is tested',
  )
  const [expected, found] = [await timeless(made, steady), await timeless(made, killed)]
  assert.ok(expected.filter(({ type }) => type === 'GenerationSwitched').length === 3)
  assert.ok(expected.some((event) => 'change' in event && event.change === 'retracted'))
  assert.deepEqual(found, expected)
})

async function command(made: Fixture, dir: string, args: readonly string[]): Promise<void> {
  const run = await loomlog([...args, '--dir', dir], made.environment)
  assert.equal(run.code, 0, `${args.join(' ')}: ${run.stderr}`)
}

/** The feed without marks and without the times of switches, which depend on the moments of commits. */
async function timeless(made: Fixture, dir: string): Promise<readonly PublishedEvent[]> {
  const events = await readFeed({ ...made.environment, LOOMLOG_DIR: dir })
  return events.filter(({ type }) => type !== 'ProgressMarked').map((event) => ({ ...event, at: 0 }))
}
