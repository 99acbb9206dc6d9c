/**
 * Everything that can refuse a request before its body is read, in this order. Rates and bytes are counted by caller,
 * so the caller is found first: a request without a valid key takes nothing from others.
 *
 * Later refusals: of a body (`json-body.ts`), of a read without a slot (`read-slots.ts`), and of a write that the log
 * doesn't acknowledge in time (`append-deadline.ts`).
 */
import type { Access } from '@loomlog/access/caller'
import type { FastifyInstance } from 'fastify'
import { authenticate, checkAccess, limitCaller } from './access/route-access.ts'
import { holdBody } from './body-memory.ts'
import { FairShare } from './fair-share.ts'
import { maxBodyBytesInFlight } from './limits.ts'
import { checkEncodings, checkHost, checkOrigin } from './request-head.ts'

export interface GuardOptions {
  /** Names that a Host may have, in lower case, beside IP addresses and `localhost`; null: any. */
  readonly hostNames: readonly string[] | null
  readonly access: Access
}

export function guardRequests(app: FastifyInstance, { hostNames, access }: GuardOptions): void {
  const bodies = new FairShare(maxBodyBytesInFlight)
  app.addHook('onRequest', async (request, reply) => {
    checkHost(request, hostNames) // 400, 421
    checkOrigin(request) // 403
    checkEncodings(request) // 400
    await authenticate(request, access) // 401
    limitCaller(request, reply, access.limits) // 429
    checkAccess(request) // 403, 400
    holdBody(request, reply, bodies) // 503
  })
}
