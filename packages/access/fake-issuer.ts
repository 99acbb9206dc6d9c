/** For tests: an issuer of OIDC tokens. Its keys come from a real HTTP server on loopback. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { type OidcSettings, OidcTokens } from './oidc.ts'

const issuer = 'https://id.example/'

interface Signing {
  readonly iss?: string
  readonly aud?: string
  /** As jose takes it: `5m`, or seconds since the epoch. Null: the token has no expiry. */
  readonly exp?: string | number | null
  readonly key?: CryptoKey | Uint8Array
  readonly alg?: string
}

type OptionalClaims = Partial<Pick<OidcSettings, 'spacesClaim' | 'speakersClaim' | 'rolesClaim'>>

export async function startFakeIssuer(t: Pick<TestContext, 'after'>, claims: OptionalClaims = {}) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const published = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] }
  const server = { status: 200, fetches: 0 }
  const http = createServer((_, response) => {
    server.fetches += 1
    response.writeHead(server.status, { 'content-type': 'application/json' }).end(JSON.stringify(published))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.after(() => http.close())
  const jwksUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/keys`
  const tokens = new OidcTokens({
    issuer,
    audience: 'loomlog',
    jwksUrl,
    tenantClaim: 'tenant',
    scopeClaim: 'scope',
    spacesClaim: null,
    speakersClaim: null,
    rolesClaim: null,
    ...claims,
  })
  async function token(payload: JWTPayload, signing: Signing = {}) {
    const { iss = issuer, aud = 'loomlog', exp = '5m', key = privateKey, alg = 'ES256' } = signing
    const jwt = new SignJWT(payload).setProtectedHeader({ alg, kid: 'k1' }).setIssuer(iss).setAudience(aud)
    return await (exp === null ? jwt : jwt.setExpirationTime(exp)).sign(key)
  }
  return { server, tokens, token, publicKey }
}
