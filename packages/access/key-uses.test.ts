/** The record of hours in which keys are used, on a real log. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { LoomlogError } from '@loomlog/errors'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { until, withinSeconds } from '../../test/within-seconds.ts'
import { KeyUses, readKeyUses } from './key-uses.ts'

const hourMs = 3_600_000
const noon = Date.parse('2026-03-02T12:00:00Z')

async function logOf(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-key-uses-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  return { log, codec: await Codec.open(log.schemas) }
}

async function opened(t: TestContext, lingerMs: number) {
  const place = await logOf(t)
  await place.log.createTopic({ name: 'key-uses', partitions: 1, retentionMs: null })
  const delays: string[] = []
  const uses = () => new KeyUses({ ...place, lingerMs, onDelayed: (why) => delays.push(why) })
  const records = async () => (await place.log.endOffsets('key-uses'))[0]
  return { place, uses, delays, records }
}

test('a thousand uses of an hour are one record, each further hour has one, and the list has the last hour', async (t) => {
  const { place, uses, records } = await opened(t, 3_600_000)
  const first = uses()
  for (let n = 0; n < 1_000; n++) first.note(n % 2 === 0 ? 'a' : 'b', noon + n)
  assert.equal(await records(), 0, 'no use waits for a write')
  await first.close()
  assert.equal(await records(), 1)
  const second = uses()
  second.note('a', noon + hourMs + 1)
  second.note('b', noon + 2 * hourMs - 1)
  second.note('c', noon - 1)
  await second.close()
  assert.deepEqual(
    await readKeyUses(place),
    new Map([
      ['a', noon + hourMs],
      ['b', noon + hourMs],
      ['c', noon - hourMs],
    ]),
  )
})

test('a use is written soon after it, and not again in its hour', async (t) => {
  const { uses, records } = await opened(t, 1)
  const running = uses()
  running.note('a', noon)
  await until(async () => (await records()) === 1, 'the use is recorded without a close')
  running.note('a', noon + 10)
  await running.close()
  assert.equal(await records(), 1)
})

test('two processes that write the same use, and an older one that comes later, leave the last hour', async (t) => {
  const { place, uses } = await opened(t, 3_600_000)
  const [one, other] = [uses(), uses()]
  one.note('a', noon + hourMs)
  other.note('a', noon)
  await one.close()
  await other.close()
  assert.deepEqual(await readKeyUses(place), new Map([['a', noon + hourMs]]))
})

test('a use that cannot be written is reported, and written later', async (t) => {
  const { place, uses, delays } = await opened(t, 1)
  const append = place.log.append.bind(place.log)
  place.log.append = () => Promise.reject(new LoomlogError('log-unavailable', 'the broker is away'))
  const running = uses()
  running.note('a', noon)
  await until(() => delays.length === 1, 'the failure is reported')
  assert.deepEqual(delays, ['the broker is away'])
  place.log.append = append
  await running.close()
  assert.deepEqual(await readKeyUses(place), new Map([['a', noon]]))
})

test('a log that is away does not hold up a close', async (t) => {
  const { place, uses } = await opened(t, 3_600_000)
  place.log.append = () => new Promise(() => {})
  const running = uses()
  running.note('a', noon)
  await withinSeconds(running.close(), 'it closes without the record')
})

test('a log of an earlier version, without the topic, has no recorded use', async (t) => {
  assert.deepEqual(await readKeyUses(await logOf(t)), new Map())
})
