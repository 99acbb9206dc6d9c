import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensureWebhookKey, webhookKey } from './webhook-secret.ts'

test('the webhook key is made once, and leaves no other file', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-webhook-key-'))
  t.after(() => rm(dir, { recursive: true }))
  const source = { dir, webhookKey: null }
  assert.equal(webhookKey(source), null)
  const key = ensureWebhookKey(source)
  assert.equal(key.length, 43)
  assert.equal(ensureWebhookKey(source), key)
  assert.deepEqual(await readdir(dir), ['webhook-key'])
})

test('an empty key file is refused by its name, and not replaced', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-webhook-key-'))
  t.after(() => rm(dir, { recursive: true }))
  await writeFile(join(dir, 'webhook-key'), '\n')
  for (const read of [webhookKey, ensureWebhookKey])
    assert.throws(() => read({ dir, webhookKey: null }), { code: 'config-invalid', message: /webhook-key is empty/ })
})
