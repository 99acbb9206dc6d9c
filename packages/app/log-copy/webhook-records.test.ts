import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readWebhooks } from '@loomlog/feed/webhook-store'
import { configFrom } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { copyLog } from './log-copy.ts'

test('a copied webhook begins at the beginning of the feed, with its parked deliveries, and a second copy changes nothing', async (t) => {
  const [from, to] = [await folder(t), await folder(t)]
  const source = openSqliteLog({ dir: from })
  for (const name of ['utterances', 'webhooks']) await source.createTopic({ name, partitions: 1, retentionMs: null })
  const codec = await Codec.open(source.schemas)
  const common = { tenant: 'acme', at: 1, keyId: null }
  const settings = { id: 'w', url: 'https://example.com/', spaces: null, types: null, secretHash: 'h', by: 'ada' }
  const parked = {
    webhook: 'w',
    event: 'e',
    partition: 0,
    offset: 8,
    reason: 'the answer was 500',
    attempts: 9,
    since: 1,
  }
  const values = [
    codec.encode({ type: 'WebhookCreated', ...settings, start: [7], ...common }),
    codec.encode({ type: 'DeliveryParked', ...parked, ...common }),
    Buffer.from('no record'),
  ]
  await source.append(
    'webhooks',
    values.map((value) => ({ key: 'acme/w', value, timestamp: 1 })),
  )
  await source.close()

  for (const before of [0, 3]) {
    const copied = await copyLog(config(from), config(to), () => {})
    assert.deepEqual(copied.at(-1), { topic: 'webhooks', records: 3, before, misplaced: 0 })
  }
  const target = await openLog(config(to))
  t.after(() => target.close())
  const webhooks = await readWebhooks({ log: target, codec: await Codec.open(target.schemas) }, null)
  assert.deepEqual(
    webhooks.map(({ id, start, parked }) => [id, start, [...parked.keys()]]),
    [['w', [0, 0, 0], ['e']]],
  )
})

function config(dir: string) {
  return configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '3' })
}

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-copy-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return dir
}
