/**
 * The caller of this tab: its key, its tenant, and its rights. The key is kept for the session of the tab alone, and
 * sent in a header, never in an address.
 */
import { LoomlogClient } from '@loomlog/client/loomlog-client'

export interface Rights {
  readonly name: string
  readonly tenant: string | null
  readonly scopes: readonly string[]
  readonly spaces: readonly string[] | null
  /** The authors in whose names the key writes; null: any. */
  readonly speakers: readonly string[] | null
  readonly roles: readonly string[] | null
}

/** Whether the key may read and change what concerns every tenant. */
export function operatesServer({ scopes, tenant }: Rights): boolean {
  return scopes.includes('administer') && tenant === null
}

export interface Session {
  readonly client: LoomlogClient
  readonly headers: Readonly<Record<string, string>>
  readonly rights: Rights
}

export interface Credentials {
  readonly key: string
  /** For a key of every tenant; empty: that of the key. */
  readonly tenant: string
}

const storageKey = 'loomlog.credentials'
const none: Credentials = { key: '', tenant: '' }

export function storedCredentials(): Credentials {
  try {
    return { ...none, ...JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') }
  } catch {
    return none
  }
}

export function storeCredentials(credentials: Credentials): void {
  sessionStorage.setItem(storageKey, JSON.stringify(credentials))
}

export function forgetCredentials(): void {
  sessionStorage.removeItem(storageKey)
}

/** @throws LoomlogError `unauthenticated` where the server needs another key */
export async function openSession({ key, tenant }: Credentials): Promise<Session> {
  const client = new LoomlogClient({ url: location.origin, key: key || null, tenant: tenant || null })
  const headers = {
    ...(key !== '' && { authorization: `Bearer ${key}` }),
    ...(tenant !== '' && { 'x-loomlog-tenant': encodeURIComponent(tenant) }),
  }
  return { client, headers, rights: await client.get<Rights>('/v1/access') }
}
