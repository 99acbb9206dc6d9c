/** The declaration of access that a route has in its `config`. */
import type { Scope } from '@loomlog/access/scopes'

/**
 * `open`: everyone, without a key. `any`: every valid key, with or without a tenant. `operate`: `administer` for every
 * tenant, since the route shows or changes the whole server.
 */
export type RouteScope = Scope | 'operate' | 'any' | 'open'

declare module 'fastify' {
  interface FastifyContextConfig {
    scope?: RouteScope
    /** The request holds a slot of live readers, so that the requests that it makes find one of requests. */
    slot?: 'live-reader'
    /**
     * `recalls`: the record of the served recall names the caller, so the audit has none. `off`: such requests are too
     * frequent.
     */
    audit?: 'recalls' | 'off'
  }
}
