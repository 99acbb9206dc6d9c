/** Recall over HTTP while the view of one shard is damaged. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { GenerationReading } from '@loomlog/recall/recall-reply'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import { lanceStore } from '@loomlog/views/lancedb'
import { ViewReader } from '@loomlog/views/reader'
import { utterances } from '@loomlog/views/tables/utterances'
import { temporaryGateway } from './fixture.ts'

const vectorSpace = { name: 'toy-2', dimensions: 2 }

test('recall replaces a damaged shard by the log and names it in the result, and other tenants are served as before', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-damaged-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const store = lanceStore(folder)
  const sources = new Map([['utterances', 'utterances']] as const)
  let answering: Omit<GenerationReading, 'embedder'> | null = null
  const embedder = {
    vectorSpace,
    embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(0, 1)),
    close: async () => {},
  }
  const { app, log } = await temporaryGateway(t, {
    reading: async () => ({ ...(answering as Omit<GenerationReading, 'embedder'>), embedder }),
  })
  const views = new ViewReader({ store, vectorSpace, partitions: 4, sources, log, lookUpWaitMs: 100 })
  t.after(() => views.close())
  answering = { generation: 'g1', epoch: 0, views }

  const tenants = [
    'acme',
    ['globex', 'initech', 'umbrella'].find((tenant) => partition(tenant) !== partition('acme')) ?? '',
  ]
  function partition(tenant: string) {
    return views.partitionOf(`${tenant}/home`)
  }
  const url = '/v1/spaces/home/recall?query=zebra'
  const recall = async (tenant: string) => {
    const answer = await app.inject({ url, headers: { 'x-loomlog-tenant': tenant } })
    assert.equal(answer.statusCode, 200, answer.body)
    const { memories, rebuilding } = answer.json() as { memories: { id: string }[]; rebuilding?: object[] }
    return { ids: memories.map(({ id }) => id), rebuilding }
  }
  for (const tenant of tenants) {
    const said = { id: `u-${tenant}`, conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: 'A zebra.' }
    const headers = { 'x-loomlog-tenant': tenant }
    await app.inject({ method: 'POST', url: '/v1/spaces/home/utterances', payload: said, headers })
    const view = viewId('utterances', vectorSpace.name)
    const shard = await store.write({ view, partition: partition(tenant), tables: tablesOf('utterances'), vectorSpace })
    await shard.close()
  }
  for (const name of await readdir(folder, { recursive: true }))
    if (name.includes(`/p${partition('acme')}/`) && name.endsWith('.manifest'))
      await writeFile(join(folder, name), 'garbage')
  const [acme = '', other = ''] = tenants
  for (const _ of ['the damage is found', 'the damage is known']) {
    const rebuilding = [{ topic: 'utterances', partition: partition('acme'), end: 1, reached: 0 }]
    assert.deepEqual(await recall(acme), { ids: ['u-acme'], rebuilding })
    assert.deepEqual(await recall(other), { ids: [`u-${other}`], rebuilding: undefined })
  }
  const corrected = async (tenant: string) => {
    const payload = { action: 'retract', memory: 'a-fact', by: 'Ada' }
    const headers = { 'x-loomlog-tenant': tenant }
    return (await app.inject({ method: 'POST', url: '/v1/spaces/home/corrections', payload, headers })).statusCode
  }
  assert.equal(await corrected(acme), 503, 'the memory may be in the shard that is rebuilt')
  const view = viewId('utterances', vectorSpace.name)
  const shard = await store.write({ view, partition: partition(other), tables: [utterances], vectorSpace })
  await shard.apply({ table: utterances, changes: [], watermark: 1 })
  await shard.close()
  assert.equal(await corrected(other), 404)
})
