/**
 * TLS and SASL on a real broker: good credentials connect, bad ones are refused with advice, and no error names a
 * secret.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { assertRefused } from '../../cli/fixture.ts'
import type { EdgeCluster } from './edge-cluster.ts'

export function testSecurity(place: () => EdgeCluster): void {
  test('PLAIN and SCRAM accept the right user over TLS, and other users get an error with advice', async () => {
    const { secured, openLog } = place()
    const { plain, scram } = secured.users
    const ssl = { ca: readFileSync(secured.ca, 'utf8') }
    const right = [
      { mechanism: 'scram-sha-256', ...scram },
      { mechanism: 'scram-sha-512', ...scram },
      { mechanism: 'plain', ...plain },
    ] as const
    for (const sasl of right) await (await openLog({ security: { ssl, sasl } })).close()
    const wrong = { mechanism: 'scram-sha-512', ...scram, password: 'not this one' } as const
    await assert.rejects(openLog({ security: { ssl, sasl: wrong } }), mistake(/invalid credentials/))
    const nobody = { mechanism: 'plain', username: 'nobody', password: 'x' } as const
    await assert.rejects(openLog({ security: { ssl, sasl: nobody } }), mistake(/Invalid username or password/))
  })

  test('an untrusted broker gets no request, and an error names credentials that a broker requires', async () => {
    const { secured, openLog } = place()
    const sasl = { mechanism: 'scram-sha-512', ...secured.users.scram } as const
    const other = { ca: readFileSync(secured.otherCa, 'utf8') }
    await assert.rejects(openLog({ security: { ssl: other, sasl } }), mistake(/certificate/))
    const closed = (says: RegExp) => (error: unknown) =>
      isLoomlogError(error, 'log-unavailable') && says.test(error.message)
    await assert.rejects(
      openLog({ security: { ssl: { ca: readFileSync(secured.ca, 'utf8') } } }),
      closed(/SASL is off/),
    )
    await assert.rejects(openLog({ security: { sasl } }), closed(/TLS is off/))
    await assert.rejects(openLog({ security: {}, brokers: ['127.0.0.1:9'] }), closed(/127.0.0.1:9: .*ECONNREFUSED/))
  })

  test('registering a schema takes the password of the registry and a trusted certificate authority', async () => {
    const { registry, openLog } = place()
    const register = async (changed: object) => {
      const log = await openLog({ registry: { url: registry.url, ...changed } })
      await log.schemas
        .register('x.Y', '{"type":"record","name":"Y","namespace":"x","fields":[]}', 'FULL_TRANSITIVE')
        .finally(log.close)
    }
    const ca = readFileSync(place().secured.ca, 'utf8')
    await register({ ca, auth: registry.credentials })
    await assert.rejects(register({ ca, auth: { ...registry.credentials, password: 'no' } }), mistake(/credentials/))
    await assert.rejects(register({ auth: registry.credentials }), mistake(/not trusted|certificate/))
  })

  test('a command and a service with a wrong password end at once, and name the user and the server', async () => {
    const { run, start } = place()
    const changed = { LOOMLOG_KAFKA_PASSWORD: 'wrong-secret-6634' }
    const refused = await run(['status', '--json'], changed)
    assertRefused(refused, 2, /connecting to 127.0.0.1:\d+: .*invalid credentials/)
    assert.match(refused.stdout, /"code": ?"config-invalid"/)
    const service = start('fact-extractor', [], changed)
    assert.equal((await service.finished).code, 1)
    assert.match(service.output(), /invalid credentials/)
  })

  test('no process prints a secret', () => {
    const { printed, secured, registry, environment } = place()
    const { plain, scram } = secured.users
    const secrets = [plain, scram, registry.credentials].map(({ password }) => password)
    const keys = [secured.client.key, secured.server.key].map((file) => readFileSync(file, 'utf8').slice(40, 80))
    assert.ok(printed().length > 1_000)
    for (const secret of [...secrets, ...keys, 'wrong-secret-6634', environment.LOOMLOG_API_KEY ?? '']) {
      assert.ok(secret.length > 6 && !printed().includes(secret), secret)
      assert.ok(!printed().includes(Buffer.from(secret).toString('base64').slice(0, -3)), `${secret}, in base64`)
    }
  })
}

function mistake(says: RegExp) {
  return (error: unknown) => {
    assert.ok(isLoomlogError(error, 'config-invalid'), String(error))
    assert.match(error.message, says)
    return true
  }
}
