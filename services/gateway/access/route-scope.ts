/** The declaration of access that a route has in its `config`. */
import type { Scope } from '@loomlog/access/scopes'

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
    /** `recalls`: the record of the served recall names the caller, so the audit has none. `off`: it is asked for too often. */
    audit?: 'recalls' | 'off'
  }
}
