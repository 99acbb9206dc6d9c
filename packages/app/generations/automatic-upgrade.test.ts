import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { liveGeneration } from '@loomlog/generations/pointers'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { configFrom } from '@loomlog/host/config'
import { GenerationReader } from '@loomlog/host/generation-reader'
import { type Host, openHost } from '@loomlog/host/open'
import { viewStore } from '@loomlog/host/view-store'
import { topicSpec } from '@loomlog/topics/catalogue'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import { facts } from '@loomlog/views/tables/facts'
import { testRow } from '../../views/contract/setup.ts'
import { processorsOf } from '../processors.ts'
import { followUpgrade } from './automatic-upgrade.ts'
import { prepareGenerations } from './configured-generation.ts'
import { maxSampledEvents } from './sample.ts'

async function openLog(environment: { readonly [name: string]: string }): Promise<Host> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-upgrade-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1', ...environment }))
  // An older version with the same processors is live.
  const older = processorsOf(host).map((processor) => ({ ...processor, revision: processor.revision - 1 }))
  await prepareGenerations(host, older)
  return host
}

async function follow(t: TestContext, host: Host) {
  const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: assert.fail, onError: assert.fail })
  const generationReader = new GenerationReader(host, follower)
  const news: string[] = []
  const onNews = (text: string) => void news.push(text)
  const processors = processorsOf(host)
  const run = await followUpgrade({ host, follower, generationReader, processors, onNews, onError: assert.fail })
  t.after(async () => {
    await run.close()
    await generationReader.close()
    await follower.close()
    await host.close()
    await rm(host.config.dir, { recursive: true })
  })
  return { follower, news, run }
}

test('a log too large to look up every answer is upgraded by command, and the news says so', async (t) => {
  const model = { LOOMLOG_MODEL: 'toy', LOOMLOG_API_KEY: 'none', LOOMLOG_BASE_URL: 'http://127.0.0.1:1' }
  const host = await openLog(model)
  const record = { key: 'default/home', value: Buffer.of(0), timestamp: 1 }
  await host.log.append('utterances', Array<typeof record>(maxSampledEvents + 1).fill(record))
  const { news, run } = await follow(t, host)
  assert.equal(run.awaited, null)
  assert.match(
    news.join(),
    /looked up for 5,000 source events at most, and the log has 5,001: loomlog generation start/,
  )
})

test('a successor without the facts of the live generation is not promoted, and the news says so once', async (t) => {
  const host = await openLog({})
  const live = liveGeneration(await readGenerations(host.log, host.codec), null)?.generation ?? ''
  await writeFacts(host, live, 3)
  const { follower, news, run } = await follow(t, host)
  assert.notEqual(run.awaited, null)
  for (const deadline = Date.now() + 60_000; run.awaited !== null && Date.now() < deadline; ) await sleep(100)
  const [, held] = news
  assert.match(held ?? '', /stays beside the live one: \w+ has 0 facts and 0 entries, and the live one has 3 and 0/)
  assert.match(held ?? '', /loomlog generation promote \w+ --anyway/)
  assert.equal(news.length, 2, news.join('\n'))
  assert.equal(liveGeneration(follower.current, null)?.generation, live)
})

/** Facts in the view of a generation, as its materializer would write them. */
async function writeFacts(host: Host, id: string, count: number): Promise<void> {
  const generation = (await readGenerations(host.log, host.codec)).generations.get(id)
  assert.ok(generation)
  const source = servingGeneration(generation, host.topics).topic(topicSpec('facts'))
  const vectorSpace = host.embedder.vectorSpace
  const shard = await viewStore(host).write({
    view: viewId(source, vectorSpace.name),
    partition: 0,
    vectorSpace,
    tables: tablesOf('facts', host.tables),
  })
  const rows = Array.from({ length: count }, (_, offset) => testRow(`f${offset}`, offset, { vector: null }))
  await shard.apply({ table: facts, changes: rows.map((row) => ({ kind: 'put', row })), watermark: count })
  await shard.close()
}
