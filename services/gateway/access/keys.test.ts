/** The gateway with keys in its log: replies to callers without one, with a wrong one, and after it is revoked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuditRecorder } from '@loomlog/access/audit-recorder'
import { CallerLimits, defaultCallerLimits } from '@loomlog/access/caller-limits'
import { createKey, followKeys, revokeKey } from '@loomlog/access/key-store'
import { KeyUses } from '@loomlog/access/key-uses'
import { ServerAccess } from '@loomlog/access/server-access'
import { version } from '@loomlog/host/version'
import { until } from '../../../test/within-seconds.ts'
import { temporaryGateway } from '../fixture.ts'

test('refusals are problem details with a challenge, and show nothing of the server', async (t) => {
  const { app, log, codec } = await temporaryGateway(t)
  const onError = (error: unknown) => t.diagnostic(String(error))
  const { text, id } = await createKey({ tenant: 'acme', scopes: ['recall'], spaces: null, label: '' }, { log, codec })
  const keys = await followKeys({ log, codec, onTemporaryFailure: onError, onError })
  t.after(() => keys.close())
  const limits = new CallerLimits({ ...defaultCallerLimits, requestsPerS: 1_000 })
  const audit = new AuditRecorder({ log, codec, onDropped: onError })
  const uses = new KeyUses({ log, codec, onDelayed: onError })
  const guarded = await temporaryGateway(t, { access: new ServerAccess({ keys, tokens: null, limits, audit, uses }) })
  const get = (url: string, authorization: string | null, tenant?: string) =>
    guarded.app.inject({
      url,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(tenant === undefined ? {} : { 'x-loomlog-tenant': tenant }),
      },
    })
  const recall = '/v1/spaces/home/recall?query=x'
  const key = `Bearer ${text}`
  for (const [url, authorization, tenant, status, challenge] of [
    [recall, null, 'acme', 401, 'Bearer realm="loomlog"'],
    [recall, `Bearer llk_${id}_${'A'.repeat(43)}`, 'acme', 401, 'Bearer realm="loomlog", error="invalid_token"'],
    [recall, key, 'umbrella', 403, 'Bearer realm="loomlog", error="insufficient_scope"'],
    ['/v1/usage', key, undefined, 403, 'Bearer realm="loomlog", error="insufficient_scope"'],
    ['/v1/status', key, undefined, 403, 'Bearer realm="loomlog", error="insufficient_scope"'],
  ] as const) {
    const reply = await get(url, authorization, tenant)
    assert.deepEqual([reply.statusCode, reply.headers['www-authenticate']], [status, challenge], url)
    assert.match(String(reply.headers['content-type']), /^application\/problem\+json/)
    assert.doesNotMatch(reply.body, /AAAA|umbrella/)
  }
  for (const tenant of ['acme', undefined]) assert.equal((await get(recall, key, tenant)).json().space, 'acme/home')
  assert.deepEqual((await get('/healthz', null)).json(), { status: 'ok', version })
  await revokeKey(id, { log, codec })
  await until(async () => (await get(recall, key)).statusCode !== 200, 'a revoked key is refused')
  assert.equal((await get(recall, key)).statusCode, 401)
  assert.equal((await app.inject(recall)).statusCode, 200, 'a server whose log has no keys')
})
