import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { copyWebhookKey } from './webhook-key-copy.ts'
import { ensureWebhookKey, webhookKey } from './webhook-secret.ts'

test('a copied key is for its owner alone, and a second copy changes nothing', async (t) => {
  const [from, into] = [await folder(t), await folder(t)]
  const key = ensureWebhookKey({ dir: from, webhookKey: null })
  for (let copies = 0; copies < 2; copies += 1) assert.equal(copyWebhookKey(from, into), true)
  assert.equal(webhookKey({ dir: into, webhookKey: null }), key)
  assert.equal(((await stat(join(into, 'webhook-key'))).mode & 0o777).toString(8), '600')
  assert.deepEqual(await readdir(into), ['webhook-key'])
})

test('another key in the target is kept under another name, and a folder without a key changes nothing', async (t) => {
  const [from, into] = [await folder(t), await folder(t)]
  await writeFile(join(into, 'webhook-key'), 'its own\n')
  assert.equal(copyWebhookKey(from, into), false)
  assert.deepEqual(await readdir(into), ['webhook-key'])
  const key = ensureWebhookKey({ dir: from, webhookKey: null })
  assert.equal(copyWebhookKey(from, into), true)
  assert.equal(webhookKey({ dir: into, webhookKey: null }), key)
  assert.equal(await readFile(join(into, 'webhook-key.former-1'), 'utf8'), 'its own\n')
})

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-key-copy-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}
