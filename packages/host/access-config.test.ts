import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oidcSettings, tlsFiles } from './access-config.ts'

const issuer = {
  LOOMLOG_OIDC_ISSUER: 'https://id.example/',
  LOOMLOG_OIDC_AUDIENCE: 'loomlog',
  LOOMLOG_OIDC_JWKS_URL: 'https://id.example/keys',
}

test('an issuer is configured whole or not at all, and its keys are not fetched in clear text', () => {
  assert.equal(oidcSettings({}), null)
  assert.equal(oidcSettings(issuer)?.tenantClaim, 'tenant')
  assert.throws(() => oidcSettings({ ...issuer, LOOMLOG_OIDC_AUDIENCE: '' }), /LOOMLOG_OIDC_AUDIENCE is not set/)
  for (const url of ['http://id.example/keys', 'ftp://127.0.0.1/keys', 'keys'])
    assert.throws(() => oidcSettings({ ...issuer, LOOMLOG_OIDC_JWKS_URL: url }), /expected an https address/, url)
  assert.ok(oidcSettings({ ...issuer, LOOMLOG_OIDC_JWKS_URL: 'http://127.0.0.1:1/keys' }))
})

test('a certificate needs its key', () => {
  assert.equal(tlsFiles({}), null)
  assert.throws(() => tlsFiles({ LOOMLOG_TLS_CERT_FILE: 'cert.pem' }), /LOOMLOG_TLS_KEY_FILE is not set/)
})
