/** The declaration of access that a route has in its `config`. */
import type { Scope } from '@loomlog/access/scopes'

/**
 * `open`: everyone, without a key. `operate`: `administer` for every tenant, since the route shows or changes the whole
 * server.
 */
export type RouteScope = Scope | 'operate' | 'open'

declare module 'fastify' {
  interface FastifyContextConfig {
    scope?: RouteScope
    /**
     * `recalls`: the record of the served recall names the caller, so the audit has none. `off`: such requests are too
     * frequent.
     */
    audit?: 'recalls' | 'off'
  }
}
