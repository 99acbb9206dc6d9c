/**
 * Finds the caller of an OIDC access token (JWT). The token is signed by a key of the issuer, for this audience, and
 * not expired. Its claims name one tenant, the scopes, the spaces and the authors; the scope `recall` is
 * `loomlog:recall` there.
 * Only asymmetric signatures are accepted.
 */
import { LoomlogError } from '@loomlog/errors'
import { expectedStoredName, nameFrom } from '@loomlog/schemas/names'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { AccessRefused } from './access-refused.ts'
import type { AuthorBounds, Caller } from './caller.ts'
import { isRole } from './roles.ts'
import { type Scope, scopes } from './scopes.ts'

export interface OidcSettings {
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
  readonly tenantClaim: string
  /** A list, or a text with spaces between the scopes. */
  readonly scopeClaim: string
  /** A list; null: a token reaches every space of its tenant. */
  readonly spacesClaim: string | null
  /** A list, or a text with one speaker; null: a token writes in the name of any. */
  readonly speakersClaim: string | null
  /** A list, or a text with one role; null: a token writes in any. Other words than roles are left out. */
  readonly rolesClaim: string | null
}

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** Difference between the clocks of the issuer and of this server. */
const clockToleranceS = 5
/** Fetches of the issuer's keys. An unknown key causes a fetch, at most once in `cooldownDuration` ms. */
const fetching = { timeoutDuration: 5_000, cooldownDuration: 30_000, cacheMaxAge: 600_000 }

export class OidcTokens {
  readonly #settings: OidcSettings
  readonly #keys: JWTVerifyGetKey

  constructor(settings: OidcSettings) {
    this.#settings = settings
    this.#keys = createRemoteJWKSet(new URL(settings.jwksUrl), fetching)
  }

  /** @throws AccessRefused; LoomlogError `identity-unavailable` while the issuer's keys can't be fetched */
  async callerOfToken(token: string): Promise<Caller> {
    const { issuer, audience } = this.#settings
    const requiredClaims = ['sub', 'exp']
    const options = { issuer, audience, algorithms, requiredClaims, clockTolerance: clockToleranceS }
    const { payload } = await jwtVerify(token, this.#keys, options).catch((error) => {
      throw refusal(error)
    })
    return this.#callerOf(payload)
  }

  #callerOf(claims: JWTPayload): Caller {
    const { tenantClaim, scopeClaim, spacesClaim } = this.#settings
    const { [tenantClaim]: tenant, [scopeClaim]: granted } = claims
    if (typeof tenant !== 'string' || tenant === '') throw missingClaim(tenantClaim)
    if (!isName(tenant)) throw unusualName(tenantClaim)
    const spaces = spacesClaim === null ? null : textsIn(claims[spacesClaim])
    if (spacesClaim !== null && spaces === null) throw missingClaim(spacesClaim)
    if (spacesClaim !== null && spaces?.every(isName) === false) throw unusualName(spacesClaim)
    const authors = authorsOf(claims, this.#settings)
    const names = typeof granted === 'string' ? granted.split(' ') : (textsIn(granted) ?? [])
    const heldScopes = scopes.filter((scope: Scope) => names.includes(`loomlog:${scope}`))
    return {
      name: `token:${claims.sub}`,
      tenant,
      scopes: new Set(heldScopes),
      spaces: spaces === null ? null : new Set(spaces),
      authors,
      credential: { kind: 'token', expiresAt: endOf(claims.exp ?? 0) },
    }
  }
}

/** @throws AccessRefused if a configured claim is missing, or has a name that is not written as names are stored */
function authorsOf(
  claims: JWTPayload,
  { speakersClaim, rolesClaim }: Pick<OidcSettings, 'speakersClaim' | 'rolesClaim'>,
): AuthorBounds {
  const speakers = speakersClaim === null ? null : oneOrMore(claims, speakersClaim)
  if (speakersClaim !== null && speakers?.every(isName) === false) throw unusualName(speakersClaim)
  const roles = rolesClaim === null ? null : oneOrMore(claims, rolesClaim)
  return { speakers: speakers && new Set(speakers), roles: roles && new Set(roles.filter(isRole)) }
}

function oneOrMore(claims: JWTPayload, claim: string): readonly string[] {
  const { [claim]: value } = claims
  const texts = typeof value === 'string' && value !== '' ? [value] : textsIn(value)
  if (texts === null) throw missingClaim(claim)
  return texts
}

/** In ms. A token that is accepted after its expiry, within the tolerance, is valid until the tolerance ends. */
function endOf(expiryS: number): number {
  const expiresAt = expiryS * 1_000
  return Date.now() < expiresAt ? expiresAt : expiresAt + clockToleranceS * 1_000
}

function textsIn(claim: unknown): readonly string[] | null {
  return Array.isArray(claim) && claim.every((each) => typeof each === 'string') ? claim : null
}

/** A claim is never normalized: the issuer may tell apart two names that normalize to one. */
function isName(name: string): boolean {
  return nameFrom(name) === name
}

function unusualName(claim: string): AccessRefused {
  const reason = `the claim ${claim} of the token has a name that is not written as names are stored`
  return new AccessRefused('unauthenticated', `${reason}: expected ${expectedStoredName}`, 'invalid_token')
}

function missingClaim(claim: string): AccessRefused {
  return new AccessRefused('unauthenticated', `the token has no usable claim ${claim}`, 'invalid_token')
}

/** Messages of jose name claims and checks, never the token. */
function refusal(error: Error): LoomlogError {
  const isOfToken = error instanceof errors.JOSEError && !isOfFetch(error)
  if (isOfToken) return new AccessRefused('unauthenticated', `the token is refused: ${error.message}`, 'invalid_token')
  return new LoomlogError('identity-unavailable', "the issuer's keys can't be fetched", { cause: error })
}

/** Whether the issuer's keys couldn't be fetched. For a status other than 200 jose throws its generic error. */
function isOfFetch({ code }: errors.JOSEError): boolean {
  return ['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID'].includes(code)
}
