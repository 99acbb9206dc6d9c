import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { configFrom } from '@loomlog/host/config'
import { GenerationReader } from '@loomlog/host/generation-reader'
import { openHost } from '@loomlog/host/open'
import { processorsOf } from '../processors.ts'
import { followUpgrade } from './automatic-upgrade.ts'
import { prepareGenerations } from './configured-generation.ts'
import { maxSampledEvents } from './sample.ts'

test('a log too large to look up every answer is upgraded by command, and the news says so', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-upgrade-'))
  const environment = { LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1', LOOMLOG_MODEL: 'toy', LOOMLOG_API_KEY: 'none' }
  const host = await openHost(configFrom({ ...environment, LOOMLOG_BASE_URL: 'http://127.0.0.1:1' }))
  const processors = processorsOf(host)
  await prepareGenerations(
    host,
    processors.map((processor) => ({ ...processor, revision: processor.revision - 1 })),
  )
  const record = { key: 'default/home', value: Buffer.of(0), timestamp: 1 }
  await host.log.append('utterances', Array<typeof record>(maxSampledEvents + 1).fill(record))
  const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: assert.fail, onError: assert.fail })
  const generationReader = new GenerationReader(host, follower)
  const news: string[] = []
  const onNews = (text: string) => void news.push(text)
  const { awaited } = await followUpgrade({
    host,
    follower,
    generationReader,
    processors,
    onNews,
    onError: assert.fail,
  })
  t.after(async () => {
    await generationReader.close()
    await follower.close()
    await host.close()
    await rm(dir, { recursive: true })
  })
  assert.equal(awaited, null)
  assert.match(
    news.join(),
    /looked up for 5,000 source events at most, and the log has 5,001: loomlog generation start/,
  )
})
