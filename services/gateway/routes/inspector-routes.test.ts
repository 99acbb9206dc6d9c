import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccess } from '@loomlog/access/caller'
import { LoomlogError } from '@loomlog/errors'
import type { StaticFiles } from '@loomlog/inspector/static-files'
import { temporaryGateway } from '../fixture.ts'

const files: StaticFiles = {
  page: async () => ({ type: 'text/html; charset=utf-8', content: Buffer.from('<p>a page</p>') }),
  asset: async (name) => (name === 'index-a1.js' ? { type: 'text/javascript', content: Buffer.from('1') } : null),
}

test('the page needs no key, and may run and load only files of the server', async (t) => {
  const access = {
    ...openAccess,
    isOpen: false,
    async authenticate(): Promise<never> {
      throw new LoomlogError('unauthenticated', 'there is no key')
    },
  }
  const { app } = await temporaryGateway(t, { inspector: files, access })
  const { statusCode, headers, body } = await app.inject('/')
  assert.deepEqual([statusCode, body], [200, '<p>a page</p>'])
  assert.equal(headers['cache-control'], 'no-cache')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|\*|https?:/)
  assert.equal((await app.inject('/v1/access')).statusCode, 401)
})

test('an asset is kept by browsers for good, and a missing one is not', async (t) => {
  const { app } = await temporaryGateway(t, { inspector: files })
  const asset = await app.inject('/assets/index-a1.js')
  assert.equal(asset.statusCode, 200)
  assert.equal(asset.headers['cache-control'], 'public, max-age=31536000, immutable')
  for (const path of ['/assets/index-b2.js', '/assets/..%2Fpackage.json', '/assets/%2e%2e%2fstatic-files.ts']) {
    const missing = await app.inject(path)
    assert.equal(missing.statusCode, 404, path)
    assert.equal(missing.headers['cache-control'], undefined)
  }
})

test('a server without an inspector has no page', async (t) => {
  const { app } = await temporaryGateway(t)
  assert.equal((await app.inject('/')).statusCode, 404)
})

test('a link of another site opens the page, and reaches nothing else', async (t) => {
  const { app } = await temporaryGateway(t, { inspector: files })
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  assert.equal((await app.inject({ url: '/', headers: link })).statusCode, 200)
  assert.equal((await app.inject({ url: '/?from=mail', headers: link })).statusCode, 200)
  assert.equal((await app.inject({ url: '/v1/spaces', headers: link })).statusCode, 403)
  const refused = [{ 'sec-fetch-dest': 'iframe' }, { 'sec-fetch-mode': 'cors' }, { origin: 'https://example.com' }]
  for (const other of refused) {
    assert.equal((await app.inject({ url: '/', headers: { ...link, ...other } })).statusCode, 403)
  }
})
