import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Generations, noGenerations } from '@loomlog/generations/generations'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { adoptGeneration } from '@loomlog/generations/store'
import { configFrom } from './config.ts'
import { GenerationReader } from './generation-reader.ts'
import { openHost } from './open.ts'

async function reader(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-generation-reader-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  const follower: { current: Generations } = { current: noGenerations }
  const generationReader = new GenerationReader(host, follower)
  t.after(async () => {
    await generationReader.close()
    await host.close()
    await rm(dir, { recursive: true })
  })
  const read = (id: string) =>
    generationReader.viewsOf(
      servingGeneration({ id, derivations: {}, viewEmbedder: host.embedder.vectorSpace.name }, host.topics),
    )
  return { host, follower, read }
}

test('the views of the generations that were read last stay open, and others are forgotten', async (t) => {
  const { read } = await reader(t)
  const [first, second] = [await read('g0'), await read('g1')]
  for (let n = 2; n <= 16; n++) {
    await read(`g${n}`)
    assert.equal(await read('g0'), first)
  }
  assert.notEqual(await read('g1'), second)
})

test('the views of a removed generation are forgotten at the next read', async (t) => {
  const { host, follower, read } = await reader(t)
  const stages = { stages: [], viewEmbedder: host.embedder.vectorSpace.name }
  const known = await adoptGeneration(host.log, host.codec, { id: 'old', ...stages })
  follower.current = known
  const old = await read('old')
  assert.equal(await read('old'), old)
  const generations = new Map(known.generations)
  const generation = generations.get('old')
  assert.ok(generation)
  follower.current = { ...known, generations: generations.set('old', { ...generation, status: 'removed' }) }
  await read('new')
  assert.notEqual(await read('old'), old)
})
