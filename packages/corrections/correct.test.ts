import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { MemoryCorrected } from '@loomlog/schemas/events'
import { viewId } from '@loomlog/views/catalogue'
import { memoryStore } from '@loomlog/views/in-memory'
import type { WritableShard } from '@loomlog/views/port'
import { project } from '@loomlog/views/project'
import { ViewReader } from '@loomlog/views/reader'
import { utterances } from '@loomlog/views/tables/utterances'
import { correctionsFor } from './correct.ts'

const request = {
  place: { tenant: 't', space: 's', principal: null },
  by: 'Ada',
  role: 'human',
  reason: null,
  at: 9,
} as const
const vectorSpace = { name: 'toy-2', dimensions: 2 }

/** A view of corrections. It is missing until the first record. */
async function corrected(log?: Log) {
  const store = memoryStore()
  const shard = { view: viewId('utterances', vectorSpace.name), partition: 0, tables: [utterances], vectorSpace }
  let writer: WritableShard | null = null
  const sources = new Map([['utterances', 'utterances']])
  const views = new ViewReader({
    store,
    tables: [utterances],
    vectorSpace,
    partitions: 1,
    sources,
    ...(log && { log }),
  })
  let offset = 0
  const record = async (event: MemoryCorrected) => {
    const changes = project(event, { key: 't/s', offset }, [utterances]).map(({ change }) => change)
    offset += 1
    writer ??= await store.write(shard)
    await writer.apply({ table: utterances, changes, watermark: offset })
    return event.id
  }
  const add = async (text: string) => {
    const [event] = await correctionsFor({ ...request, action: 'add', text, conversation: null }, views)
    if (event === undefined) throw new Error('an addition is one event')
    return event
  }
  /** A correction of the fact that the addition states. */
  const change = async (added: MemoryCorrected, action: 'retract' | 'pin', role: 'human' | 'agent' = 'human') => {
    const { text, subject, relation, object } = added
    const target = { memory: 'f', kind: 'fact', text: text ?? '', subject, relation, object, saidAt: 9, others: [] }
    const id = `${action} of ${added.id} by ${role}`
    return await record({ ...added, id, action, role, text: null, target: { ...target, sources: [added.id] } })
  }
  return { add, record, change }
}

test('a statement that was added and retracted can be added again, any number of times', async () => {
  const { add, record, change } = await corrected()
  const ids = new Set<string>()
  for (let n = 0; n < 3; n += 1) {
    const added = await add('Maya lives in Porto.')
    ids.add(await record(added))
    assert.equal((await add('Maya lives in Porto.')).id, added.id, 'a repetition has the same id')
    await change(added, 'retract')
  }
  assert.equal(ids.size, 3)
})

test('an addition has the same id while its statement is in the memory', async () => {
  const { add, record, change } = await corrected()
  const added = await add('Maya lives in Porto.')
  await record(added)
  const other = await add('Maya lives in Graz.')
  await record(other)
  await change(other, 'retract')
  await change(added, 'pin')
  await change(added, 'retract', 'agent')
  assert.equal((await add('Maya lives in Porto.')).id, added.id)
})

test('nothing is added while the view of utterances is built, and then a retracted statement is added again', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-corrections-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
  await log.append('utterances', Array(2).fill({ key: 't/s', value: new Uint8Array(), timestamp: 0 }))
  const { add, record, change } = await corrected(log)
  const text = 'Maya lives in Porto.'
  const isBehind = (reached: number) => (error: unknown) =>
    isLoomlogError(error, 'views-behind') && error.message.includes(`utterances/0 has ${reached} of 2 records`)
  await assert.rejects(add(text), isBehind(0))
  const { add: addBefore } = await corrected()
  const added = await addBefore(text)
  await record(added)
  await assert.rejects(add(text), isBehind(1))
  await change(added, 'retract')
  assert.notEqual((await add(text)).id, added.id)
})
