/**
 * Random histories with forgettings, through processes that are killed: the memory, its replays and its feed are those
 * of spaces that only ever had the kept events.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { crashPoints, publisherCrashPoints } from '@loomlog/log/crash-points'
import { spaceKey } from '@loomlog/schemas/ids'
import { foldFeed } from '../../services/publisher/feed-fold.ts'
import { seededRandom, testSeed } from '../seeded-random.ts'
import { copyLogOnly } from './fixture.ts'
import {
  append,
  copySurvivors,
  derive,
  difference,
  equal,
  folder,
  memoryOf,
  settings,
  withHost,
} from './forgetting-fixture.ts'
import { publishUnderKills, readFeed } from './killed-publisher.ts'
import { startProgram } from './loomlog.ts'
import { viewMemories } from './memory-feed.ts'
import { type Chance, keptEvents, places, RandomHistory, restartedSpaces } from './random-forgetting.ts'

const rounds = 2
const seed = testSeed()
const program = fileURLToPath(new URL('./derive-once.ts', import.meta.url))
const points = [...crashPoints, ...publisherCrashPoints]

test(`random forgettings leave the memory of spaces that only had the kept events (LOOMLOG_SEED=${seed})`, async (t) => {
  const random = seededRandom(seed)
  const chance = (below: number) => Math.floor(random() * below)
  const dir = await folder(t)
  const history = await RandomHistory.of(chance)
  for (let round = 0; round < rounds; round += 1) {
    await withHost(dir, (host) => history.appendSome(host))
    await deriveUntilKilled(dir, chance)
    await withHost(dir, async (host) => {
      await derive(host)
      await history.correctSome(host)
      await history.forgetSome(host)
    })
  }
  await deriveUntilKilled(dir, chance)
  const { memory, restarted, kept } = await withHost(dir, async (host) => {
    const restarted = await restartedSpaces(host)
    const kept = (await Promise.all(places.map((place) => keptEvents(host, place)))).flat()
    return { memory: await memoryOf(host, await derive(host), restarted), restarted, kept }
  })
  const fresh = await folder(t)
  const expected = await withHost(fresh, async (host) => {
    await append(host, kept)
    return memoryOf(host, await derive(host))
  })
  t.diagnostic(`${restarted.length} spaces with forgettings, ${kept.length} events, ${expected.rows.length} rows`)
  assertEqual(memory, expected, 'live')
  for (const old of ['kept', 'destroyed'] as const)
    assertEqual(await replayOf(t, dir, { old, restarted }), expected, `a replay, old records are ${old}`)
  await assertFeed(dir)
})

type MemoryLines = Awaited<ReturnType<typeof memoryOf>>

function assertEqual(found: MemoryLines, expected: MemoryLines, where: string): void {
  assert.deepEqual(difference(found.events, expected.events), equal, where)
  assert.deepEqual(difference(found.rows, expected.rows), equal, where)
}

/** A process at a random point, or to its end where the point is not reached. */
async function deriveUntilKilled(dir: string, chance: Chance): Promise<void> {
  const point = points[chance(points.length)] ?? 'commit.before-end'
  const environment = { ...settings(dir), LOOMLOG_CRASH_AT: `${point}:${1 + chance(6)}` }
  const { code, signal, stderr } = await startProgram([], environment, program).finished
  assert.ok(code === 0 || signal === 'SIGKILL', stderr)
}

/** The memory that the log gives without state, derived topics and views. */
async function replayOf(
  t: TestContext,
  dir: string,
  { old, restarted }: { readonly old: 'kept' | 'destroyed'; readonly restarted: readonly string[] },
): Promise<MemoryLines> {
  const replay = await folder(t)
  await (old === 'kept' ? copyLogOnly : copySurvivors)(dir, replay)
  return withHost(replay, async (host) => memoryOf(host, await derive(host), restarted))
}

async function assertFeed(dir: string): Promise<void> {
  await publishUnderKills(settings(dir), [])
  const feed = foldFeed(await readFeed(settings(dir)))
  await withHost(dir, async (host) => {
    for (const { tenant, space } of places) {
      const key = spaceKey(tenant, space)
      const published = [...(feed.get(key)?.memories ?? [])].sort()
      assert.deepEqual(published, [...(await viewMemories(host, key))].sort(), `the feed of ${key}`)
    }
  })
}
