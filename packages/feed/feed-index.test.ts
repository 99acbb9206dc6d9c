/** A space of a large feed is read in time proportional to the space, with the events of a scan. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { defaultFeedReadLimits, type FeedReadLimits } from './feed-limits.ts'
import { memoryEvents } from './feed-message.ts'
import { FeedReader, type FeedScope } from './feed-reader.ts'
import { FeedTail } from './feed-tail.ts'

const signal = new AbortController().signal

/** 3,000 events of 40 spaces in two tenants; three of them have an event in five hundred. */
async function largeFeed(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-feed-'))
  const log = openSqliteLog({ dir })
  await log.createTopic({ name: 'memory-events', partitions: 2, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const events = Array.from({ length: 3_000 }, (_, n) => {
    const tenant = n % 7 === 0 ? 'other' : 'acme'
    const space = n % 500 < 3 ? `rare${n % 500}` : `busy${n % 37}`
    return { type: 'ProgressMarked', id: `${n}`, tenant, space, generation: 'g', at: n, partition: 0, upTo: n } as const
  })
  const record = (event: (typeof events)[number]) => ({
    key: `${event.tenant}/${event.space}`,
    value: codec.encode(event),
    timestamp: 0,
  })
  await log.append('memory-events', events.map(record))
  let records = 0
  const counted: Pick<typeof log, 'read' | 'endOffsets'> = {
    endOffsets: log.endOffsets,
    async *read(options) {
      for await (const batch of log.read(options)) {
        records += batch.length
        yield batch
      }
    },
  }
  const tails: FeedTail[] = []
  t.after(async () => {
    for (const tail of tails) await tail.close()
    await log.close()
    await rm(dir, { recursive: true })
  })
  const reading = (overrides: Partial<FeedReadLimits> = {}) => {
    const limits = { ...defaultFeedReadLimits, ...overrides }
    const tail = new FeedTail({
      topic: memoryEvents,
      log: counted,
      codec,
      limits,
      beginningOf: async () => 0,
      onRetryableError: (error) => assert.fail(String(error)),
    })
    tails.push(tail)
    return async (scope: Partial<FeedScope>) => {
      const options = {
        log: counted,
        codec,
        tail,
        limits,
        partitions: 2,
        admit: (_: unknown, work: never) => (work as () => never)(),
      }
      const reader = new FeedReader({ tenant: 'acme', spaces: null, types: null, ...scope }, options)
      const ids: string[] = []
      const before = records
      for (let position = reader.partitions.map(() => 0); ; ) {
        const { messages, next, isUpToDate } = await reader.read(position, signal)
        ids.push(...messages.map(({ id }) => id))
        position = [...next]
        if (isUpToDate) return { ids: ids.sort((a, b) => Number(a) - Number(b)), records: records - before }
      }
    }
  }
  const idsOf = (tenant: string, space?: string) =>
    events
      .filter((event) => event.tenant === tenant && (space === undefined || event.space === space))
      .map(({ id }) => id)
  return { reading, idsOf }
}

test('once the partition is indexed, a reader reads only the blocks of its space', async (t) => {
  const { reading, idsOf } = await largeFeed(t)
  const read = reading()
  await read({ spaces: ['rare0'] })
  for (const space of ['rare0', 'rare1', 'rare2']) {
    const { ids, records } = await read({ spaces: [space] })
    assert.deepEqual(ids, idsOf('acme', space))
    assert.ok(records <= ids.length * 64, `${records} records for ${ids.length} events`)
  }
})

test('a tenant and a space are read completely and once, in small chunks, also beyond the limit of the index', async (t) => {
  const { reading, idsOf } = await largeFeed(t)
  for (const limits of [{}, { chunkRecords: 7 }, { chunkBytes: 1_000 }, { indexEntries: 5 }, { indexEntries: 0 }]) {
    const read = reading(limits)
    assert.deepEqual((await read({ spaces: ['rare1'] })).ids, idsOf('acme', 'rare1'))
    assert.deepEqual((await read({ tenant: 'other' })).ids, idsOf('other'))
    const several = await read({ spaces: ['rare2', 'busy5', 'none'] })
    const expected = [...idsOf('acme', 'rare2'), ...idsOf('acme', 'busy5')].sort((a, b) => Number(a) - Number(b))
    assert.deepEqual(several.ids, expected)
    assert.deepEqual((await read({ tenant: 'acm' })).ids, [])
  }
})
