import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkedCertificate, signatureOf } from './certificate.ts'
import { existingKey, signingKey } from './signing-key.ts'

test('a certificate is verified by its key, and a changed field, list or signature is refused', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-key-'))
  t.after(() => rmSync(dir, { recursive: true }))
  assert.equal(existingKey(dir), null)
  const { privateKey, publicKey } = signingKey(dir)
  assert.equal(signingKey(dir).publicKey, publicKey)
  assert.equal(statSync(join(dir, 'forgetting-key.pem')).mode & 0o777, 0o600)
  const unsigned = {
    ...({ type: 'loomlog-forgetting', version: 1, id: 'f', tenant: 't', space: 's', principal: null } as const),
    rewrittenAt: '2026-01-01',
    destroyedAt: '2026-01-02',
    kept: 3,
    destroyed: { UtteranceAppended: 2 },
    hashes: ['aa', 'bb'],
    salt: 'cc',
    ids: ['dd'],
    publicKey,
  }
  const text = JSON.stringify({ ...unsigned, signature: signatureOf(unsigned, privateKey) })
  assert.equal(checkedCertificate(text).id, 'f')
  for (const [whole, changed] of [
    ['"kept":3', '"kept":2'],
    ['"bb"', '"bc"'],
    ['"id":"f"', '"id":"g"'],
  ])
    assert.throws(() => checkedCertificate(text.replace(String(whole), String(changed))), String(whole))
  assert.throws(() => checkedCertificate(text.replace('"salt"', '"extra":1,"salt"')), /was changed/)
  assert.throws(() => checkedCertificate('{}'), /type and version/)
})
