/**
 * Access to routes. A route declares its scope beside its path, as `{ config: { scope: 'recall' } }`; registering a
 * route without a scope is a programmer error. A request is refused before its body is read: 401 without a valid key,
 * 403 where the key lacks the scope, or is of another tenant or of other spaces.
 */

import { AccessRefused } from '@loomlog/access/access-refused'
import { type Access, type Caller, localCaller } from '@loomlog/access/caller'
import type { CallerLimits } from '@loomlog/access/caller-limits'
import type { Scope } from '@loomlog/access/scopes'
import { LoomlogError } from '@loomlog/errors'
import { checkedAddress } from '@loomlog/intake/utterance'
import { expectedStoredName, nameFrom, sameName } from '@loomlog/schemas/names'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { announcedBytes } from '../body-memory.ts'
import { tenantFrom, tenantHeader } from '../request-guard.ts'
import { type AuditedCaller, auditRequests, type RequestAudit } from './audit.ts'
import type { RouteScope } from './route-scope.ts'

interface Admission {
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
const admissions = new WeakMap<FastifyRequest, Admission>()

/** Call it before the first route. */
export function guardAccess(
  app: FastifyInstance,
  access: Access,
  records: Pick<RequestAudit, 'recordsOfRecalls' | 'deadline'>,
): void {
  const routes: DeclaredRoute[] = []
  routesByApp.set(app, routes)
  app.addHook('onRoute', ({ config: { scope } = {}, method, url }) => {
    if (scope === undefined) throw new Error(`${method} ${url} declares no scope: add { config: { scope } }`)
    routes.push(...[method].flat().map((each) => ({ method: each, url, scope })))
  })
  app.addHook('onRequest', async (request, reply) => {
    const { scope = 'open' } = request.routeOptions.config
    if (scope === 'open') return
    const caller = await access.authenticate(request.headers.authorization)
    admissions.set(request, { caller, tenant: null })
    if (caller !== localCaller) limitCaller(access.limits, caller, request, reply)
    admissions.set(request, { caller, tenant: allowedTenant(caller, scope, request) })
  })
  if (access.audit !== null) auditRequests(app, { ...records, audit: access.audit, callerOf: auditedCaller })
}

/** @throws RateLimited */
function limitCaller(
  limits: CallerLimits | null,
  caller: Caller,
  request: FastifyRequest,
  { raw }: FastifyReply,
): void {
  const { live } = request.query as { readonly live?: unknown }
  const kind = request.routeOptions.config.scope === 'subscribe' && live !== undefined ? 'live-reader' : 'request'
  if (limits === null) return
  const release = limits.admit(caller, { bytes: announcedBytes(request), kind })
  limitsOf.set(request, limits)
  // The caller may have left while its token was checked.
  if (raw.destroyed) release()
  else raw.once('close', release)
}

function auditedCaller(request: FastifyRequest): AuditedCaller | null {
  const admission = admissions.get(request)
  if (admission === undefined || admission.caller === localCaller) return null
  const { caller, tenant } = admission
  return { name: caller.name, tenant: tenant ?? caller.tenant }
}

/** The caller's name; null if no key was needed. */
export function callerNameOf(request: FastifyRequest): string | null {
  const { caller } = admissionOf(request)
  return caller === localCaller ? null : caller.name
}

/**
 * The caller as one text, the same for all tenants of its key. Callers of open and unknown routes have no key, and share
 * one text.
 */
export function callerIdOf(request: FastifyRequest): string {
  const admission = admissions.get(request)
  return JSON.stringify(admission === undefined ? null : [admission.caller.tenant, admission.caller.name])
}

/** Counts bytes that a body has beyond those announced. @returns how long to wait before more of it is read, in ms */
export function chargeBytes(request: FastifyRequest, bytes: number): number {
  return limitsOf.get(request)?.charge(admissionOf(request).caller, bytes) ?? 0
}

/** Every route with its scope. */
export function routesOf(app: FastifyInstance): readonly DeclaredRoute[] {
  return routesByApp.get(app) ?? []
}

/** @throws AccessRefused with the reason; LoomlogError `input-invalid` if a key for every tenant names none */
function allowedTenant(caller: Caller, scope: Exclude<RouteScope, 'open'>, request: FastifyRequest): string {
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

/** A signal that aborts when the caller's key or token ends, with the refusal as its reason; and the end of the watch. */
export function watchCaller(
  access: Access,
  request: FastifyRequest,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const ended = new AbortController()
  const stop = access.watch(admissionOf(request).caller, (reason) => ended.abort(reason))
  return { signal: ended.signal, stop }
}

/** For spaces that a request names outside of its path. @throws AccessRefused */
export function requireSpaces(request: FastifyRequest, spaces: readonly string[]): void {
  const { caller } = admissionOf(request)
  for (const space of spaces) checkReach(caller, space)
}

/** The names of spaces that the caller may read. */
export function readableSpaces(request: FastifyRequest, names: readonly string[]): readonly string[] {
  const { spaces } = admissionOf(request).caller
  return spaces === null ? names : names.filter((name) => spaces.has(name))
}

/** The tenant of the request. */
export function tenantOf(request: FastifyRequest): string {
  const { tenant } = admissionOf(request)
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

/** The caller's name; `local` if no key was needed. */
export function callerNameOrLocal(request: FastifyRequest): string {
  return admissionOf(request).caller.name
}

function admissionOf(request: FastifyRequest): Admission {
  const admission = admissions.get(request)
  if (admission === undefined) throw new Error(`${request.routeOptions.url} is open to everyone, and has no caller`)
  return admission
}

function listOf(scopes: ReadonlySet<Scope>): string {
  return scopes.size === 0 ? 'none' : [...scopes].join(', ')
}
