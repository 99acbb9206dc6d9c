/** The gateway with a certificate: HTTPS answers, with the same limits, and plain HTTP does not. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryGateway } from './fixture.ts'

function certificate() {
  const dir = mkdtempSync(join(tmpdir(), 'loomlog-tls-'))
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const pem = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  rmSync(dir, { recursive: true })
  return pem
}

test('with a certificate the gateway speaks HTTPS only', async (t) => {
  const tls = certificate()
  const { app } = await temporaryGateway(t, { tls })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const status = await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/healthz', ca: tls.cert, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', reject)
  })
  assert.equal(status, 200)
  await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`))
})
