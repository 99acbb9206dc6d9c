/**
 * Access to routes. A route declares its scope beside its path, as `{ config: { scope: 'recall' } }`; registering a route without a scope is a
 * programmer error. A request is refused before its body is read: 401 without a valid key, 403 where the key lacks the scope, or is of another
 * tenant or of other spaces.
 */

import { AccessRefused } from '@loomlog/access/access-refused'
import type { Access, Caller } from '@loomlog/access/caller'
import type { Scope } from '@loomlog/access/scopes'
import { checkedPlace } from '@loomlog/intake/utterance'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tenantFrom, tenantHeader } from '../request-guard.ts'

/** `open`: everyone, without a key. `operate`: `administer` for every tenant, since the route shows or changes the whole server. */
export type RouteScope = Scope | 'operate' | 'open'

declare module 'fastify' {
  interface FastifyContextConfig {
    scope?: RouteScope
    /**
     * `handler`: the handler itself confines a caller to its spaces (`requireSpaces`). Without it a route whose path has no `:space` refuses
     * callers that are narrowed to spaces.
     */
    narrowedBy?: 'handler'
  }
}

interface Admission {
  readonly caller: Caller
  readonly tenant: string
}

export interface DeclaredRoute {
  readonly method: string
  readonly url: string
  readonly scope: RouteScope
  /** Null: by the path. */
  readonly narrowedBy: 'handler' | null
}

const declared = new WeakMap<FastifyInstance, DeclaredRoute[]>()
const admissions = new WeakMap<FastifyRequest, Admission>()

/** Call it before the first route. */
export function guardAccess(app: FastifyInstance, access: Access): void {
  const routes: DeclaredRoute[] = []
  declared.set(app, routes)
  app.addHook('onRoute', ({ config: { scope, narrowedBy = null } = {}, method, url }) => {
    if (scope === undefined) throw new Error(`${method} ${url} declares no scope: add { config: { scope } }`)
    routes.push(...[method].flat().map((each) => ({ method: each, url, scope, narrowedBy })))
  })
  app.addHook('onRequest', async (request) => {
    const { scope = 'open' } = request.routeOptions.config
    if (scope === 'open') return
    const caller = await access.authenticate(request.headers.authorization)
    admissions.set(request, { caller, tenant: allowedTenant(caller, scope, request) })
  })
}

/** Every route with its scope. */
export function routesOf(app: FastifyInstance): readonly DeclaredRoute[] {
  return declared.get(app) ?? []
}

/** @throws AccessRefused with the reason */
function allowedTenant(caller: Caller, scope: Exclude<RouteScope, 'open'>, request: FastifyRequest): string {
  const { name } = caller
  const needed = scope === 'operate' ? 'administer' : scope
  if (!caller.scopes.has(needed))
    throw refused(`this needs the scope ${needed}, and ${name} has ${listOf(caller.scopes)}`)
  if (scope === 'operate' && caller.tenant !== null)
    throw refused(`this concerns every tenant, and ${name} is of one tenant`)
  const { [tenantHeader]: given } = request.headers
  const named = typeof given === 'string' ? tenantFrom(given) : null
  if (caller.tenant !== null && named !== null && named !== caller.tenant)
    throw refused(`${name} is of another tenant than ${tenantHeader}: leave the header out`)
  checkSpace(caller, request)
  const tenant = caller.tenant ?? named ?? 'default'
  return checkedPlace({ tenant, space: 'any' }).tenant
}

function checkSpace(caller: Caller, request: FastifyRequest): void {
  if (caller.spaces === null || request.routeOptions.config.narrowedBy === 'handler') return
  const { space } = request.params as { readonly space?: string }
  if (space === undefined)
    throw refused(`this concerns every space of the tenant, and ${caller.name} is of some of them`)
  checkReach(caller, space)
}

function checkReach({ name, spaces }: Caller, space: string): void {
  if (spaces !== null && !spaces.has(space)) throw refused(`${name} is not of the space ${JSON.stringify(space)}`)
}

function refused(reason: string): AccessRefused {
  return new AccessRefused('not-allowed', reason, 'insufficient_scope')
}

/** For spaces that a request names outside of its path. @throws AccessRefused */
export function requireSpaces(request: FastifyRequest, spaces: readonly string[]): void {
  const { caller } = admissionOf(request)
  for (const space of spaces) checkReach(caller, space)
}

/** The tenant that the request speaks for. */
export function tenantOf(request: FastifyRequest): string {
  return admissionOf(request).tenant
}

/** The caller's name, for the audit. */
export function callerOf(request: FastifyRequest): string {
  return admissionOf(request).caller.name
}

function admissionOf(request: FastifyRequest): Admission {
  const found = admissions.get(request)
  if (found === undefined) throw new Error(`${request.routeOptions.url} is open to everyone, and has no caller`)
  return found
}

function listOf(scopes: ReadonlySet<Scope>): string {
  return scopes.size === 0 ? 'none' : [...scopes].join(', ')
}
