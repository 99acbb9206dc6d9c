/** Requests that name a memory which a subscriber knows from the feed, and which the views don't have yet. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@loomlog/log/port'
import { viewId } from '@loomlog/views/catalogue'
import { memoryStore } from '@loomlog/views/in-memory'
import { ViewReader } from '@loomlog/views/reader'
import { emptyRow, type Table } from '@loomlog/views/table'
import { documents } from '@loomlog/views/tables/documents'
import { entries } from '@loomlog/views/tables/entries'
import { facts } from '@loomlog/views/tables/facts'
import { utterances } from '@loomlog/views/tables/utterances'
import { embedder, temporaryGateway } from '../fixture.ts'
import type { GatewayOptions } from '../gateway-options.ts'

const space = 'default/home'
const vectorSpace = embedder.vectorSpace
const tables = [utterances, facts, entries, documents]
const names = new Map(tables.map(({ topic: { name } }) => [name, name === 'utterances' ? name : `${name}.d1`]))

/** A gateway whose views are behind by one record of the topic of this table, and the merge of that record. */
async function behindBy(table: Table, t: TestContext, lookUpWaitMs: number) {
  const store = memoryStore()
  let views: ViewReader | undefined
  const reading = async () => ({ generation: 'g1', epoch: 0, views, embedder })
  const { app, log } = await temporaryGateway(t, { reading: reading as unknown as GatewayOptions['reading'] })
  for (const name of names.values())
    if (name !== 'utterances') await log.createTopic({ name, partitions: 4, retentionMs: null })
  views = new ViewReader({ store, tables, vectorSpace, partitions: 4, sources: names, log: log as Log, lookUpWaitMs })
  const partition = views.partitionOf(space)
  const topic = names.get(table.topic.name) ?? ''
  await log.append(topic, [{ key: null, partition, value: new Uint8Array(), timestamp: 0 }])
  const beside = tables.filter((each) => each.topic.name === table.topic.name)
  const shard = await store.write({ view: viewId(topic, vectorSpace.name), partition, tables: beside, vectorSpace })
  const merge = async () => {
    const row = { ...emptyRow(table), id: 'm', space, text: 'Ada sails.', speaker: 'Ada', speakers: ['ada'], at: 0 }
    for (const each of beside) {
      const changes = each === table ? [{ kind: 'put', row: { ...row, sources: ['u'] } } as never] : []
      await shard.apply({ table: each, changes, watermark: 1 })
    }
  }
  return { app, merge }
}

const requests = [
  { table: facts, url: '/memories/m' },
  { table: facts, url: '/memories/m/why' },
  { table: facts, url: '/memories/m/impact' },
  { table: facts, url: '/memories/m/history' },
  { table: facts, url: '/corrections', payload: { action: 'retract', memory: 'm', by: 'Ada' } },
  { table: documents, url: '/documents/m' },
]
for (const { table, url, payload } of requests) {
  const request = {
    method: payload ? 'POST' : 'GET',
    url: `/v1/spaces/home${url}`,
    ...(payload && { payload }),
  } as const

  test(`${url} waits for the memory that it names`, async (t) => {
    const { app, merge } = await behindBy(table, t, 60_000)
    const answered = app.inject(request)
    await sleep(100)
    await merge()
    const { statusCode, body } = await answered
    assert.equal(statusCode, payload ? 201 : 200, body)
  })

  test(`${url} is 503, and not 404, while a view stays behind`, async (t) => {
    const { app } = await behindBy(table, t, 60)
    const { statusCode, headers, json } = await app.inject(request)
    const { type } = json() as { readonly type: string }
    assert.deepEqual([statusCode, type], [503, 'urn:loomlog:problem:views-behind'])
    assert.equal(headers['retry-after'], '1')
  })
}
