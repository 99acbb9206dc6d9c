/** The caller of a request: its name, its tenant, and its scopes and spaces there. */
import type { AuditRecorder } from './audit-recorder.ts'
import type { CallerLimits } from './caller-limits.ts'
import { type Scope, scopes } from './scopes.ts'

export interface Caller {
  /** The name in the audit: `key:ID`, `token:SUBJECT` or `local`. */
  readonly name: string
  /** Null: every tenant. A request then names one. */
  readonly tenant: string | null
  readonly scopes: ReadonlySet<Scope>
  /** Null: every space of the tenant. */
  readonly spaces: ReadonlySet<string> | null
}

/** Finds the caller of a request. */
export interface Access {
  /** Null: callers are not limited. */
  readonly limits: CallerLimits | null
  /** Null: requests are not recorded. */
  readonly audit: AuditRecorder | null
  /** Whether requests need no key. */
  readonly isOpen: boolean
  /**
   * @param authorization the header `Authorization`
   * @throws LoomlogError `unauthenticated`
   */
  authenticate(authorization: string | undefined): Promise<Caller>
}

export const localCaller: Caller = { name: 'local', tenant: null, scopes: new Set(scopes), spaces: null }

/** The access of a server without keys: every caller may do everything. */
export const openAccess: Access = { isOpen: true, limits: null, audit: null, authenticate: async () => localCaller }
