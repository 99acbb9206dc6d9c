import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '@loomlog/log/port'
import { Codec } from '@loomlog/schemas/codec'
import { memory } from './fixture.ts'
import { maxQueued, RecallRecorder } from './recall-recorder.ts'

const result = { items: [], text: '', tokens: 0, leftOut: [] }
const servedRecall = (query: string) => ({
  spaces: ['acme/home'],
  query,
  generation: 'g',
  result,
  caller: null,
  servedAt: 0,
})

test('recalls are queued at once and written later in one append; those over the limit are dropped and reported', async (t) => {
  const place = await memory(t)
  const codec = await Codec.open(place.log.schemas)
  const appends: number[] = []
  const reasons: string[] = []
  const log = { append: async (_: string, records: readonly unknown[]) => void appends.push(records.length) }
  const recorder = new RecallRecorder({ log: log as unknown as Log, codec, onDropped: (_, why) => reasons.push(why) })
  for (let n = 0; n < maxQueued + 3; n++) recorder.record(servedRecall(`question ${n}`))
  assert.deepEqual([appends, reasons.length], [[], 3])
  await recorder.close()
  assert.deepEqual([appends, recorder.counts], [[maxQueued], { recorded: maxQueued, dropped: 3 }])
  assert.equal(reasons[0], 'the queue is full')
})

test('recalls are dropped with the reason when the log fails, and the next ones are written', async (t) => {
  const place = await memory(t)
  const reasons: string[] = []
  const recorder = new RecallRecorder({ ...place, onDropped: (count, why) => reasons.push(`${count}: ${why}`) })
  recorder.record(servedRecall('x'.repeat(100_000)))
  await recorder.close()
  assert.match(reasons[0] ?? '', /^1: .*recalls/)
  await place.log.createTopic({ name: 'recalls', partitions: 2, retentionMs: null })
  recorder.record(servedRecall('boat'))
  await recorder.close()
  assert.deepEqual(recorder.counts, { recorded: 1, dropped: 1 })
})
