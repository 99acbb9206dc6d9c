/**
 * A forgetting through the whole pipeline: the memory after it is that of a space that only ever had the kept events.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { copyLogOnly } from './fixture.ts'
import {
  append,
  copySurvivors,
  demoEvents,
  derive,
  difference,
  equal,
  folder,
  forget,
  memoryOf,
  withHost,
  withoutSpeaker,
} from './forgetting-fixture.ts'

const home = { tenant: 'acme', space: 'home' }
const other = { tenant: 'acme', space: 'other' }

test('after a forgetting the memory is that of a space that only ever had the kept events', async (t) => {
  const [dir, fresh] = [await folder(t), await folder(t)]
  const events = await demoEvents(home)
  const others = await demoEvents(other)
  const before = await withHost(dir, async (host) => {
    await append(host, [...events, ...others])
    return memoryOf(host, await derive(host))
  })
  const live = await withHost(dir, async (host) => {
    await forget(host, 'acme/home', 'f1', withoutSpeaker('Tomas'))
    return memoryOf(host, await derive(host), ['acme/home'])
  })
  const expected = await withHost(fresh, async (host) => {
    await append(host, [...events.filter(withoutSpeaker('Tomas')), ...others])
    return memoryOf(host, await derive(host))
  })
  assert.ok(before.events.length > expected.events.length)
  assert.deepEqual(difference(live.events, expected.events), equal)
  assert.deepEqual(difference(live.rows, expected.rows), equal)
  for (const old of ['kept', 'destroyed'] as const) {
    const replayed = await replayOf(t, dir, old)
    assert.deepEqual(difference(replayed.events, expected.events), equal, `old records are ${old}`)
    assert.deepEqual(difference(replayed.rows, expected.rows), equal, `old records are ${old}`)
  }
})

/** The memory that the log gives without state, derived topics and views. */
async function replayOf(t: TestContext, dir: string, old: 'kept' | 'destroyed') {
  const replay = await folder(t)
  if (old === 'kept') await copyLogOnly(dir, replay)
  else await copySurvivors(dir, replay)
  return withHost(replay, async (host) => memoryOf(host, await derive(host), ['acme/home']))
}
