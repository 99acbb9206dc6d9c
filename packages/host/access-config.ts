/** The settings of access to the gateway. */
import { type CallerLimitSettings, defaultCallerLimits } from '@loomlog/access/caller-limits'
import type { OidcSettings } from '@loomlog/access/oidc'
import { LoomlogError } from '@loomlog/errors'
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import { type Environment, wholeNumber } from './environment.ts'

/** The limits of each key and token. @throws LoomlogError `config-invalid` */
export function callerLimits(environment: Environment): CallerLimitSettings {
  const limit = (name: string, fallback: number) =>
    wholeNumber(environment, name, { fallback, least: 1, most: 1_000_000_000 })
  const { requestsPerS, bytesPerS, concurrency, liveReaders } = defaultCallerLimits
  return {
    requestsPerS: limit('LOOMLOG_KEY_REQUESTS_PER_S', requestsPerS),
    bytesPerS: limit('LOOMLOG_KEY_BYTES_PER_S', bytesPerS),
    concurrency: limit('LOOMLOG_KEY_CONCURRENCY', concurrency),
    liveReaders: limit('LOOMLOG_KEY_LIVE_READERS', liveReaders),
  }
}

/** Null: no tokens are accepted. @throws LoomlogError `config-invalid` */
export function oidcSettings(environment: Environment): OidcSettings | null {
  const names = ['LOOMLOG_OIDC_ISSUER', 'LOOMLOG_OIDC_AUDIENCE', 'LOOMLOG_OIDC_JWKS_URL'] as const
  const [issuer, audience, jwksUrl] = allOrNone(environment, names)
  if (!issuer || !audience || !jwksUrl) return null
  if (!isTrusted(jwksUrl))
    throw invalidSetting('LOOMLOG_OIDC_JWKS_URL', jwksUrl, 'an https address, or one of loopback')
  return {
    issuer,
    audience,
    jwksUrl,
    tenantClaim: environment.LOOMLOG_OIDC_TENANT_CLAIM ?? 'tenant',
    scopeClaim: environment.LOOMLOG_OIDC_SCOPE_CLAIM ?? 'scope',
    spacesClaim: environment.LOOMLOG_OIDC_SPACES_CLAIM ?? null,
    speakersClaim: environment.LOOMLOG_OIDC_SPEAKERS_CLAIM ?? null,
    rolesClaim: environment.LOOMLOG_OIDC_ROLES_CLAIM ?? null,
  }
}

/** The files of the gateway's certificate and its key. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** Null: plain HTTP. @throws LoomlogError `config-invalid` */
export function tlsFiles(environment: Environment): TlsFiles | null {
  const [cert, key] = allOrNone(environment, ['LOOMLOG_TLS_CERT_FILE', 'LOOMLOG_TLS_KEY_FILE'])
  return cert && key ? { cert, key } : null
}

function allOrNone(environment: Environment, names: readonly string[]): readonly (string | undefined)[] {
  const missing = names.filter((name) => !environment[name])
  if (missing.length > 0 && missing.length < names.length)
    throw new LoomlogError(
      'config-invalid',
      `${missing.join(' and ')} is not set: expected all or none of ${names.join(', ')}`,
    )
  return names.map((name) => environment[name])
}

/** Keys that are fetched in clear text could be replaced on the way. */
function isTrusted(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname))
}
