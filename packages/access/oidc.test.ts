/** Tokens of an issuer whose keys come from a real HTTP server on loopback. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { exportJWK, generateKeyPair } from 'jose'
import { startFakeIssuer } from './fake-issuer.ts'

const claims = { sub: 'ada', tenant: 'acme', scope: 'openid loomlog:append loomlog:recall append administer' }

async function issued(t: TestContext, optional?: Parameters<typeof startFakeIssuer>[1]) {
  const issuer = await startFakeIssuer(t, optional)
  const { tokens } = issuer
  const token = (...[payload = claims, signing]: Partial<Parameters<typeof issuer.token>>) =>
    issuer.token(payload, signing)
  const refused = async (text: string, reason: RegExp) =>
    assert.rejects(tokens.callerOfToken(text), (error) => {
      assert.ok(isLoomlogError(error, 'unauthenticated'), String(error))
      assert.match(error.message, reason)
      assert.ok(!error.message.includes(text))
      return true
    })
  return { ...issuer, token, refused }
}

test('claims become the tenant and the scopes, and the keys are fetched once', async (t) => {
  const { server, tokens, token } = await issued(t)
  for (let n = 0; n < 3; n++) {
    const { name, tenant, scopes, spaces } = await tokens.callerOfToken(await token())
    assert.deepEqual([name, tenant, [...scopes], spaces], ['token:ada', 'acme', ['append', 'recall'], null])
  }
  assert.equal(server.fetches, 1)
  const list = await tokens.callerOfToken(await token({ ...claims, scope: ['loomlog:subscribe', 'loomlog:all'] }))
  assert.deepEqual([...list.scopes], ['subscribe'])
})

test('a token of another issuer, audience, key or algorithm, an expired one and an endless one are refused', async (t) => {
  const { token, refused, publicKey } = await issued(t)
  const other = await generateKeyPair('ES256')
  await refused(await token(claims, { iss: 'https://evil.example/' }), /"iss"/)
  await refused(await token(claims, { aud: 'another' }), /"aud"/)
  await refused(await token(claims, { exp: '-1m' }), /"exp"/)
  await refused(await token(claims, { exp: null }), /"exp"/)
  await refused(await token(claims, { key: other.privateKey }), /signature/)
  const publicBytes = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)))
  await refused(await token(claims, { alg: 'HS256', key: publicBytes }), /"alg"/)
  const [header = '', body = ''] = (await token()).split('.')
  const none = Buffer.from(JSON.stringify({ alg: 'none', kid: 'k1' })).toString('base64url')
  await refused(`${none}.${body}.`, /alg/i)
  await refused(`${header}.${body}.AAAA`, /signature/)
  await refused('x.y.z', /refused/)
})

test('a token without a tenant, a subject or the configured spaces is refused; its spaces narrow it', async (t) => {
  const { tokens, token, refused } = await issued(t, { spacesClaim: 'rooms' })
  await refused(await token({ ...claims, rooms: ['home'], tenant: '' }), /no usable claim tenant/)
  await refused(await token({ ...claims, rooms: ['home'], tenant: ['acme'] }), /no usable claim tenant/)
  await refused(await token({ tenant: 'acme', rooms: ['home'] }), /"sub"/)
  await refused(await token(claims), /no usable claim rooms/)
  assert.deepEqual((await tokens.callerOfToken(await token({ ...claims, rooms: ['home'] }))).spaces, new Set(['home']))
  assert.equal((await tokens.callerOfToken(await token({ sub: 'ada', tenant: 'acme', rooms: [] }))).scopes.size, 0)
})

test('a token whose tenant or space is not written as names are stored is refused, and reaches no other one', async (t) => {
  const { token, refused } = await issued(t, { spacesClaim: 'rooms' })
  for (const name of ['acme ', '\u00a0acme', 'Jose\u0301', 'ac\u200bme']) {
    await refused(await token({ ...claims, rooms: ['home'], tenant: name }), /claim tenant .* expected .* in NFC/)
    await refused(await token({ ...claims, rooms: ['home', name] }), /claim rooms .* expected .* in NFC/)
  }
})

test('a token writes as the speakers and in the roles of its claims; a configured claim must be there', async (t) => {
  const { tokens, token, refused } = await issued(t, { speakersClaim: 'name', rolesClaim: 'kinds' })
  const authorsOf = async (more: object) => (await tokens.callerOfToken(await token({ ...claims, ...more }))).authors
  assert.deepEqual(await authorsOf({ name: 'Maya', kinds: 'human' }), {
    speakers: new Set(['Maya']),
    roles: new Set(['human']),
  })
  assert.deepEqual(await authorsOf({ name: ['Maya', 'Ines'], kinds: ['agent', 'editor'] }), {
    speakers: new Set(['Maya', 'Ines']),
    roles: new Set(['agent']),
  })
  assert.deepEqual(await authorsOf({ name: [], kinds: [] }), { speakers: new Set(), roles: new Set() })
  for (const name of [undefined, '', 7, null, ['Maya', 7]])
    await refused(await token({ ...claims, name, kinds: 'human' }), /no usable claim name/)
  for (const kinds of [undefined, '', { human: true }])
    await refused(await token({ ...claims, name: 'Maya', kinds }), /no usable claim kinds/)
  for (const name of ['Maya ', 'Jose\u0301', ['Ma\u200bya']])
    await refused(await token({ ...claims, name, kinds: 'human' }), /claim name .* expected .* in NFC/)
  const free = await issued(t)
  const { authors } = await free.tokens.callerOfToken(await free.token({ ...claims, name: 'Maya' }))
  assert.deepEqual(authors, { speakers: null, roles: null })
})

test("while the issuer's keys can't be fetched the refusal is temporary", async (t) => {
  const { server, tokens, token } = await issued(t)
  server.status = 500
  await assert.rejects(tokens.callerOfToken(await token()), (error) => isLoomlogError(error, 'identity-unavailable'))
  server.status = 200
  assert.equal((await tokens.callerOfToken(await token())).tenant, 'acme')
})
