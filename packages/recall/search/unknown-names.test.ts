/**
 * The notices beside a result: their names are compared as a filter compares them, and they never fail or hold up the
 * recall.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { recordOf } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { memoryStore } from '@loomlog/views/in-memory'
import { ViewReader } from '@loomlog/views/reader'
import { type NameOptions, unknownNames } from './unknown-names.ts'

const space = 'acme/home'

/** Utterances of these speakers, in the log and in no view. */
async function spoken(t: TestContext, speakers: readonly string[]): Promise<NameOptions> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-names-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const vectorSpace = { name: 'toy-2', dimensions: 2 }
  const views = new ViewReader({ store: memoryStore(), vectorSpace, partitions: 1, sources: new Map() })
  const records = speakers.map((speaker) => {
    const said = { conversation: 'c', speaker, at: '2026-03-02T09:00:00Z', text: 'I row.' }
    return recordOf(utteranceFrom(said, { tenant: 'acme', space: 'home' }, 0), codec)
  })
  await log.append('utterances', records)
  return { log, codec, views, spaceNames: async () => ['home'] }
}

test('a speaker named with white space or in another form of Unicode is known, as the filter knows it', async (t) => {
  const options = await spoken(t, ['Ren\u00e9'])
  const speakers = [' Ren\u00e9 ', 'Rene\u0301']
  assert.deepEqual(await unknownNames({ spaces: [space], speakers }, [], options), [])
  const found = [{ space, speaker: 'Ren\u00e9' }]
  const unread = { ...options, views: {} as NameOptions['views'] }
  assert.deepEqual(await unknownNames({ spaces: [space], speakers }, found, unread), [])
})

test('an error in a notice is no error of the recall', async (t) => {
  const options = await spoken(t, ['Ada'])
  const fails = async () => {
    throw new Error('the disk is away')
  }
  const names = { spaces: ['acme/hom'], speakers: [] }
  assert.deepEqual(await unknownNames(names, [], { ...options, spaceNames: fails }), ['there is no space named "hom"'])
  assert.deepEqual(await unknownNames(names, [], { ...options, log: { ...options.log, endOffsets: fails } }), [])
})

test('names of spaces that come too late are left out', async (t) => {
  const options = await spoken(t, ['Ada'])
  const spaceNames = (signal?: AbortSignal) =>
    new Promise<readonly string[]>((_, reject) => {
      const late = setTimeout(() => reject(new Error('it waits without a limit')), 5_000)
      signal?.addEventListener('abort', () => {
        clearTimeout(late)
        reject(signal.reason)
      })
    })
  const since = performance.now()
  assert.deepEqual(await unknownNames({ spaces: ['acme/hom'], speakers: [] }, [], { ...options, spaceNames }), [
    'there is no space named "hom"',
  ])
  assert.ok(performance.now() - since < 5_000)
})

test('many unknown speakers in a space of many speakers have few notices, and little time', async (t) => {
  const long = 'x'.repeat(240)
  const options = await spoken(
    t,
    Array.from({ length: 3_000 }, (_, n) => `${long}${n}`),
  )
  const speakers = Array.from({ length: 100 }, (_, n) => `${long}y${n}`)
  const before = process.threadCpuUsage()
  const notices = await unknownNames({ spaces: [space], speakers }, [], options)
  const { user } = process.threadCpuUsage(before)
  t.diagnostic(`${Math.round(user / 1_000)} ms`)
  assert.equal(notices.length, 3)
  for (const notice of notices) assert.match(notice, /^no speaker of home is named "x+y\d"; the nearest: "x+\d+", /)
})
