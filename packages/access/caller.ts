/** The caller of a request: its name, its tenant, its scopes and spaces there, and the authors that it writes as. */
import type { Role } from '@loomlog/schemas/events'
import type { AccessRefused } from './access-refused.ts'
import type { AuditRecorder } from './audit-recorder.ts'
import type { CallerLimits } from './caller-limits.ts'
import { type Scope, scopes } from './scopes.ts'

/** Decides how long a caller is valid. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly id: string }
  /** @property expiresAt in ms since the epoch */
  | { readonly kind: 'token'; readonly expiresAt: number }

/** The authors in whose names a caller writes. Null: any. Speakers are as `sameName` gives them. */
export interface AuthorBounds {
  readonly speakers: ReadonlySet<string> | null
  readonly roles: ReadonlySet<Role> | null
}

export const anyAuthor: AuthorBounds = { speakers: null, roles: null }

export interface Caller {
  /** The name in the audit: `key:ID`, `token:SUBJECT` or `local`. */
  readonly name: string
  /** Null: every tenant. A request then names one. */
  readonly tenant: string | null
  readonly scopes: ReadonlySet<Scope>
  /** Null: every space of the tenant. */
  readonly spaces: ReadonlySet<string> | null
  readonly authors: AuthorBounds
  readonly credential: Credential
}

/** Calls the function once, when the caller's credential ends. Returns the function that ends the watch. */
export type WatchCredential = (caller: Caller, onEnd: (reason: AccessRefused) => void) => () => void

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
  /** For requests that last. */
  readonly watch: WatchCredential
}

export const localCaller: Caller = {
  name: 'local',
  tenant: null,
  scopes: new Set(scopes),
  spaces: null,
  authors: anyAuthor,
  credential: { kind: 'none' },
}

/** The access of a server without keys: every caller may do everything. */
export const openAccess: Access = {
  isOpen: true,
  limits: null,
  audit: null,
  authenticate: async () => localCaller,
  watch: () => () => {},
}
