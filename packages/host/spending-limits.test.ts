import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { configFrom } from './config.ts'
import { openHost } from './open.ts'

test('searches with tools and the other calls to the model share the limits on tokens and money', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-spending-'))
  const endpoint = await startFakeEndpoint()
  const model = { LOOMLOG_MODEL: 'fake', LOOMLOG_MODEL_URL: endpoint.baseUrl, LOOMLOG_API_KEY: 'fake-key' }
  const limit = {
    LOOMLOG_MODEL_MONEY_PER_DAY: '0.000001',
    LOOMLOG_PRICES: 'fake=1/1',
  }
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, ...model, ...limit }))
  t.after(async () => {
    await host.close()
    await endpoint.close()
    await rm(dir, { recursive: true })
  })
  const { signal } = new AbortController()
  const messages = [{ from: 'user', text: 'Where does Ann live?' }] as const
  const turn = () => host.toolModel?.turn({ prompt: 'Search.', messages, tools: [], signal })
  await turn()
  await assert.rejects(async () => turn(), /LOOMLOG_MODEL_MONEY_PER_DAY/)
  const ask = { prompt: 'Is it so?', input: 'yes', schema: { type: 'boolean' }, schemaName: 'so', signal } as const
  await assert.rejects(async () => host.model?.answer(ask), /LOOMLOG_MODEL_MONEY_PER_DAY/)
})
