/** The caller of a request: its name, its tenant, and what it may do there. */
import { type Scope, scopes } from './scopes.ts'

export interface Caller {
  /** Its name in the audit: `key:ID`, `token:SUBJECT` or `local`. */
  readonly name: string
  /** Null: every tenant. A request then names one. */
  readonly tenant: string | null
  readonly scopes: ReadonlySet<Scope>
  /** Null: every space of the tenant. */
  readonly spaces: ReadonlySet<string> | null
}

/** Finds the caller of a request. */
export interface Access {
  /** Whether requests need no key. */
  readonly isOpen: boolean
  /**
   * @param authorization the header of that name
   * @throws LoomlogError `unauthenticated`
   */
  authenticate(authorization: string | undefined): Promise<Caller>
}

const localCaller: Caller = { name: 'local', tenant: null, scopes: new Set(scopes), spaces: null }

/** Of a server without keys: every caller may do everything. */
export const openAccess: Access = { isOpen: true, authenticate: async () => localCaller }
