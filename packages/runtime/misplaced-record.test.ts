import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partitionOf } from '@loomlog/log/partition'
import { appendMisplaced } from '@loomlog/log/sqlite-misplaced-record'
import type { InputParked } from '@loomlog/schemas/events'
import { caughtUp, recordOf, run, topics, world } from './fixture.ts'
import { countingStep, loom, utterance } from './toy-processors.ts'

test('a record in a wrong partition is parked whole with the reason, and the same one in its own is derived', async (t) => {
  const here = await world(t, 4)
  const own = partitionOf('t/s', 4)
  const other = (own + 1) % 4
  const record = recordOf(here.codec, utterance('1'))
  await appendMisplaced(here, { topic: 'utterances', partition: other }, record)
  const running = await run(here, loom(countingStep))
  await caughtUp(here)
  assert.deepEqual(await topics(here), [])
  const [parked, ...more] = (await here.events('parked')) as readonly InputParked[]
  assert.deepEqual(more, [])
  assert.deepEqual(
    [parked?.code, parked?.space, parked?.input, parked?.partition, parked?.offset],
    ['invalid', 's', '1', other, 0],
  )
  assert.ok(
    parked?.reason.startsWith(`the key t/s belongs to partition ${own} of utterances, and was read from ${other}`),
  )
  assert.match(parked?.reason ?? '', /murmur2_random/)
  assert.deepEqual(Buffer.from(parked?.value ?? []), Buffer.from(record.value))
  await here.append([utterance('1')])
  await caughtUp(here)
  assert.deepEqual(await topics(here), ['s: c#0'])
  assert.deepEqual(running.errors, [])
})
