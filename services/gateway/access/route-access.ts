/**
 * Access to routes. Each declares its scope with `apiRoute({ scope: 'recall', … })`; registering a route without a
 * scope is a programmer error. A request is refused without a valid key, beyond a limit of its key, and where the key
 * lacks the scope, or is of another tenant or of other spaces.
 */

import { AccessRefused } from '@loomlog/access/access-refused'
import { type Access, type Caller, localCaller } from '@loomlog/access/caller'
import type { CallerLimits } from '@loomlog/access/caller-limits'
import type { Scope } from '@loomlog/access/scopes'
import { LoomlogError } from '@loomlog/errors'
import { checkedAddress } from '@loomlog/intake/utterance'
import { expectedStoredName, nameFrom, sameName } from '@loomlog/schemas/names'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onClose } from '../reply-close.ts'
import { announcedBytes, tenantFrom, tenantHeader } from '../request-head.ts'
import type { RouteScope } from './route-scope.ts'

interface RequestCaller {
  readonly caller: Caller
  /** Null: the request is refused. */
  readonly tenant: string | null
}

export interface DeclaredRoute {
  readonly method: string
  readonly url: string
  readonly scope: RouteScope
}

const routesByApp = new WeakMap<FastifyInstance, DeclaredRoute[]>()
const limitsOf = new WeakMap<FastifyRequest, CallerLimits>()
/** Requests to open and to unknown routes have none. */
const callers = new WeakMap<FastifyRequest, RequestCaller>()

/** Call it before the first route. */
export function requireScopes(app: FastifyInstance): void {
  const routes: DeclaredRoute[] = []
  routesByApp.set(app, routes)
  app.addHook('onRoute', ({ config: { scope } = {}, method, url }) => {
    if (scope === undefined) throw new Error(`${method} ${url} declares no scope: expected apiRoute({ scope, … })`)
    routes.push(...[method].flat().map((each) => ({ method: each, url, scope })))
  })
}

/** Finds the caller of the key or token. @throws LoomlogError `unauthenticated` */
export async function authenticate(request: FastifyRequest, access: Access): Promise<void> {
  if (scopeOf(request) === 'open') return
  callers.set(request, { caller: await access.authenticate(request.headers.authorization), tenant: null })
}

/** @throws RateLimited */
export function limitCaller(request: FastifyRequest, reply: FastifyReply, limits: CallerLimits | null): void {
  const { caller = localCaller } = callers.get(request) ?? {}
  if (limits === null || caller === localCaller) return
  const { live } = request.query as { readonly live?: unknown }
  const isLive = scopeOf(request) === 'subscribe' && live !== undefined
  const kind = isLive ? 'live-reader' : (request.routeOptions.config.slot ?? 'request')
  onClose(reply, limits.admit(caller, { bytes: announcedBytes(request), kind }))
  limitsOf.set(request, limits)
}

/**
 * Finds the tenant of the request.
 * @throws AccessRefused with the reason; LoomlogError `input-invalid` if a key for every tenant names none
 */
export function checkAccess(request: FastifyRequest): void {
  const scope = scopeOf(request)
  if (scope === 'open') return
  const { caller } = callerOf(request)
  callers.set(request, { caller, tenant: scope === 'any' ? caller.tenant : allowedTenant(caller, scope, request) })
}

/** Unknown routes are open: everyone may see that they don't exist. */
function scopeOf({ routeOptions }: FastifyRequest): RouteScope {
  return routeOptions.config.scope ?? 'open'
}

/**
 * The caller in the audit; null if no key was needed. Its tenant is null if the key is for every tenant, and named
 * none.
 */
export function auditedCallerOf(request: FastifyRequest): Pick<Caller, 'name' | 'tenant'> | null {
  const known = callers.get(request)
  if (known === undefined || known.caller === localCaller) return null
  const { caller, tenant } = known
  return { name: caller.name, tenant: tenant ?? caller.tenant }
}

/** The caller's name; null if no key was needed. */
export function callerNameOf(request: FastifyRequest): string | null {
  const { caller } = callerOf(request)
  return caller === localCaller ? null : caller.name
}

/** Whether the key or token has the scope; true if none was needed. */
export function holdsScope(request: FastifyRequest, scope: Scope): boolean {
  return callerOf(request).caller.scopes.has(scope)
}

/** The caller's name, and the authors in whose names it writes. */
export function boundsOf(request: FastifyRequest): Pick<Caller, 'name' | 'authors'> {
  return callerOf(request).caller
}

/**
 * The caller as one text, the same for all tenants of its key. Callers of open and unknown routes have no key, and
 * share one text.
 */
export function callerIdOf(request: FastifyRequest): string {
  const { caller = null } = callers.get(request) ?? {}
  return JSON.stringify(caller && [caller.tenant, caller.name])
}

/** Counts bytes that a body has beyond those announced. @returns how long to wait before more of it is read, in ms */
export function chargeBytes(request: FastifyRequest, bytes: number): number {
  return limitsOf.get(request)?.charge(callerOf(request).caller, bytes) ?? 0
}

/** Every route with its scope. */
export function routesOf(app: FastifyInstance): readonly DeclaredRoute[] {
  return routesByApp.get(app) ?? []
}

function allowedTenant(caller: Caller, scope: Exclude<RouteScope, 'any' | 'open'>, request: FastifyRequest): string {
  const { name } = caller
  const needed = scope === 'operate' ? 'administer' : scope
  if (!caller.scopes.has(needed))
    throw refusal(`this needs the scope ${needed}, and ${name} has ${listOf(caller.scopes)}`)
  if (scope === 'operate' && caller.tenant !== null)
    throw refusal(`this concerns every tenant, and ${name} is of one tenant`)
  checkTenant(caller)
  const { [tenantHeader]: given } = request.headers
  const named = typeof given === 'string' ? tenantFrom(given) : null
  if (caller.tenant !== null && named !== null && named !== caller.tenant)
    throw refusal(`${name} is of another tenant than ${tenantHeader}: leave the header out`)
  checkSpace(caller, request)
  const tenant = caller.tenant ?? named ?? (caller === localCaller || scope === 'operate' ? 'default' : null)
  if (tenant === null) {
    const reason = `${name} is for every tenant, so each request names one`
    throw new LoomlogError('input-invalid', `${tenantHeader} is missing: expected the name of a tenant; ${reason}`)
  }
  return checkedAddress({ tenant, space: 'any' }).tenant
}

/** A key may be older than the rules for names. Its tenant is never normalized: the result could be another tenant. */
function checkTenant({ name, tenant }: Caller): void {
  if (tenant === null || nameFrom(tenant) === tenant) return
  const reason = `${name} is of the tenant ${JSON.stringify(tenant)}, which is no name as names are stored`
  throw refusal(`${reason}: expected ${expectedStoredName}; create a new key`)
}

function checkSpace(caller: Caller, request: FastifyRequest): void {
  if (caller.spaces === null) return
  const { space } = request.params as { readonly space?: string }
  if (space === undefined)
    throw refusal(`this concerns every space of the tenant, and ${caller.name} is of some of them`)
  checkReach(caller, space)
}

function checkReach({ name, spaces }: Caller, space: string): void {
  if (spaces !== null && !spaces.has(sameName(space)))
    throw refusal(`${name} is not of the space ${JSON.stringify(space)}`)
}

function refusal(reason: string): AccessRefused {
  return new AccessRefused('not-allowed', reason, 'insufficient_scope')
}

/**
 * A signal that aborts when the caller's key or token ends, with the refusal as its reason; and the end of the watch.
 */
export function watchCaller(
  access: Access,
  request: FastifyRequest,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const ended = new AbortController()
  const stop = access.watch(callerOf(request).caller, (reason) => ended.abort(reason))
  return { signal: ended.signal, stop }
}

/** For spaces that a request names outside of its path. @throws AccessRefused */
export function requireSpaces(request: FastifyRequest, spaces: readonly string[]): void {
  const { caller } = callerOf(request)
  for (const space of spaces) checkReach(caller, space)
}

/** The names of spaces that the caller may read. */
export function readableSpaces(request: FastifyRequest, names: readonly string[]): readonly string[] {
  const { spaces } = callerOf(request).caller
  return spaces === null ? names : names.filter((name) => spaces.has(name))
}

/** The tenant of the request. */
export function tenantOf(request: FastifyRequest): string {
  const { tenant } = callerOf(request)
  if (tenant === null) throw new Error('the request is refused, and has no tenant')
  return tenant
}

/**
 * The caller with its tenant, as one text: a token's subject is unique within its tenant only, and may hold any
 * separator.
 */
export function tenantCallerIdOf(request: FastifyRequest): string {
  return JSON.stringify([tenantOf(request), callerNameOrLocal(request)])
}

/** The caller with everything that it may do. */
export function rightsOf(request: FastifyRequest): Caller {
  return callerOf(request).caller
}

/** The caller's name; `local` if no key was needed. */
export function callerNameOrLocal(request: FastifyRequest): string {
  return callerOf(request).caller.name
}

function callerOf(request: FastifyRequest): RequestCaller {
  const known = callers.get(request)
  if (known === undefined) throw new Error(`${request.routeOptions.url} is open to everyone, and has no caller`)
  return known
}

function listOf(scopes: ReadonlySet<Scope>): string {
  return scopes.size === 0 ? 'none' : [...scopes].join(', ')
}
