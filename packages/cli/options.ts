/** Options that every command has, and those of commands that read or write one space. */
import type { Output } from './print.ts'

export interface CommonOptions {
  readonly dir?: string
  readonly json?: true
}

/** Options of commands that work on a server instead of a log, if it is named. */
export interface ServerOptions extends CommonOptions {
  readonly url?: string
  readonly key?: string
}

export interface TenantOptions extends ServerOptions {
  /** Undefined: on a server that of the key, else the default. */
  readonly tenant?: string
}

export interface SpaceOptions extends TenantOptions {
  readonly space: string
}

/** The tenant on a log, and on a server without keys. */
export const defaultTenant = 'default'
export const tenantHelp = `tenant (default: ${defaultTenant}; on a server, that of the key)`

export function json(options: CommonOptions): Output {
  return { json: options.json === true }
}
