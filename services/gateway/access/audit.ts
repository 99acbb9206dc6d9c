/**
 * The audit of requests with a key or a token: one record each, in the topic `audit`. A write is answered after its record is durable. Not
 * recorded: readers of the feed and of metrics, recalls (their own record names the caller), and requests over a rate limit, which would flood the log.
 */
import type { AuditRecorder } from '@loomlog/access/audit-recorder'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RouteScope } from './route-scope.ts'

export interface AuditedCaller {
  readonly name: string
  /** Null: a key for every tenant, and the request is refused. */
  readonly tenant: string | null
}

/** Reads: the reply doesn't wait for the record. */
const readingScopes: ReadonlySet<RouteScope> = new Set(['recall', 'subscribe'])
const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** @param callerOf null: the request has no known caller */
export function auditRequests(
  app: FastifyInstance,
  audit: AuditRecorder,
  callerOf: (request: FastifyRequest) => AuditedCaller | null,
): void {
  const idsOf = new WeakMap<FastifyRequest, readonly string[]>()
  const recorded = new WeakSet<FastifyRequest>()
  // A reply to a write names its events in `ids`.
  app.addHook('preSerialization', async (request, _, payload) => {
    const { ids } = (payload ?? {}) as { readonly ids?: unknown }
    if (Array.isArray(ids)) idsOf.set(request, ids.map(String))
    return payload
  })
  app.addHook('onSend', async (request, { statusCode: status }, payload) => {
    const caller = callerOf(request)
    // A reply whose record fails becomes an error reply, which comes here again.
    if (caller === null || recorded.has(request) || isRecordedElsewhere(request, status)) return payload
    recorded.add(request)
    const { space = null } = request.params as { readonly space?: string }
    const { method } = request
    const { url: route = '', config } = request.routeOptions
    const { name, tenant } = caller
    const entry = {
      caller: name,
      tenant,
      space,
      method,
      route,
      status,
      ids: [...(idsOf.get(request) ?? [])],
      at: Date.now(),
    }
    const isRead = readingMethods.has(method) || readingScopes.has(config.scope ?? 'open')
    if (isRead || status >= 400) audit.note(entry)
    else await audit.record(entry)
    return payload
  })
}

function isRecordedElsewhere({ routeOptions }: FastifyRequest, status: number): boolean {
  if (status === 429) return true
  return status < 400 && (routeOptions.config.scope === 'subscribe' || routeOptions.config.audit !== undefined)
}
