/** The options --url and --key: the command works against a server instead of a log. */
import { LoomlogClient } from '@loomlog/client/loomlog-client'
import { LoomlogError } from '@loomlog/errors'
import type { Command } from 'commander'
import type { ServerOptions, TenantOptions } from './options.ts'

export function withServerOptions(made: Command): Command {
  return made
    .option('--url <address>', 'work against this server instead of a log (default: LOOMLOG_URL)')
    .option('--key <key>', 'API key of the server (default: LOOMLOG_KEY, which a list of processes does not show)')
}

/** The server's address; --dir names a log, also where the environment names a server. */
export function serverUrl({ url, dir }: ServerOptions): string | undefined {
  return url ?? (dir === undefined ? process.env.LOOMLOG_URL : undefined)
}

/** @throws LoomlogError `input-invalid` */
export function serverOf(options: TenantOptions): LoomlogClient | null {
  const { url, key, dir, tenant } = options
  const address = serverUrl(options)
  if (url !== undefined && dir !== undefined)
    throw new LoomlogError('input-invalid', '--url names a server and --dir a log: expected one of them')
  if (!address) return null
  return new LoomlogClient({ url: address, key: key ?? process.env.LOOMLOG_KEY ?? null, tenant: tenant ?? null })
}
