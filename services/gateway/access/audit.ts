/**
 * The audit of requests with a key or a token: one record each, in the topic `audit`. A write that took effect is
 * answered after its record is durable. Not recorded: readers of the feed and of metrics, recalls (their own record
 * names the caller), and requests over a rate limit, which would flood the log.
 */
import type { AuditRecorder } from '@loomlog/access/audit-recorder'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppendDeadline } from '../append-deadline.ts'
import { auditedCallerOf } from './route-access.ts'
import type { RouteScope } from './route-scope.ts'

/** Reads: the reply doesn't wait for the record. */
const readingScopes: ReadonlySet<RouteScope> = new Set(['recall', 'subscribe'])
const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The topic with the callers of recalls: `recalls`, or the audit where served recalls are not recorded. */
type RecordsOfRecalls = 'recalls' | 'audit'

export interface RequestAudit {
  readonly audit: AuditRecorder
  readonly recordsOfRecalls: RecordsOfRecalls
  readonly deadline: Pick<AppendDeadline, 'audit'>
}

export function auditRequests(app: FastifyInstance, options: RequestAudit): void {
  const { audit, recordsOfRecalls, deadline } = options
  const idsOf = new WeakMap<FastifyRequest, readonly string[]>()
  const recorded = new WeakSet<FastifyRequest>()
  // A reply to a write names its events in `ids`.
  app.addHook('preSerialization', async (request, _, payload) => {
    const { ids } = (payload ?? {}) as { readonly ids?: unknown }
    if (Array.isArray(ids)) idsOf.set(request, ids.map(String))
    return payload
  })
  app.addHook('onSend', async (request, { statusCode: status }, payload) => {
    const caller = auditedCallerOf(request)
    // If the record fails, an error reply is sent instead, and passes this hook too.
    if (caller === null || recorded.has(request) || isRecordedElsewhere(request, status, recordsOfRecalls))
      return payload
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
    if (isRead || status >= 400) audit.recordLater(entry)
    else await deadline.audit(request, audit.record(entry))
    return payload
  })
}

function isRecordedElsewhere(
  { routeOptions: { config } }: FastifyRequest,
  status: number,
  recordsOfRecalls: RecordsOfRecalls,
): boolean {
  if (status === 429) return true
  if (config.audit === 'recalls' && recordsOfRecalls === 'audit') return false
  return status < 400 && (config.scope === 'subscribe' || config.audit !== undefined)
}
