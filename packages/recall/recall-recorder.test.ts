import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '@loomlog/log/port'
import { Codec } from '@loomlog/schemas/codec'
import { memory } from './fixture.ts'
import { maxQueued, Recalls } from './recall-recorder.ts'

const answer = { items: [], text: '', tokens: 0, leftOut: [] }
const served = (query: string) => ({ spaces: ['acme/home'], query, generation: 'g', answer, servedAt: 0 })

test('served recalls are taken at once and written soon, in one append; what has no place is dropped and told', async (t) => {
  const place = await memory(t)
  const codec = await Codec.open(place.log.schemas)
  const appends: number[] = []
  const told: string[] = []
  const log = { append: async (_: string, records: readonly unknown[]) => void appends.push(records.length) }
  const recalls = new Recalls({ log: log as unknown as Log, codec, onDropped: (_, why) => told.push(why) })
  for (let n = 0; n < maxQueued + 3; n++) recalls.served(served(`question ${n}`))
  assert.deepEqual([appends, told.length], [[], 3])
  await recalls.close()
  assert.deepEqual([appends, recalls.counts], [[maxQueued], { recorded: maxQueued, dropped: 3 }])
  assert.equal(told[0], 'the queue is full')
})

test('a log that fails drops them, and says why; the next ones are tried again', async (t) => {
  const place = await memory(t)
  const told: string[] = []
  const recalls = new Recalls({ ...place, onDropped: (count, why) => told.push(`${count}: ${why}`) })
  recalls.served(served('x'.repeat(100_000)))
  await recalls.close()
  assert.match(told[0] ?? '', /^1: .*recalls/)
  await place.log.createTopic({ name: 'recalls', partitions: 2, retentionMs: null })
  recalls.served(served('boat'))
  await recalls.close()
  assert.deepEqual(recalls.counts, { recorded: 1, dropped: 1 })
})
