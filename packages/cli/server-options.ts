/** The options --url and --key: the command works against a server instead of a log. */
import { LoomlogClient } from '@loomlog/client/loomlog-client'
import { LoomlogError } from '@loomlog/errors'
import type { Command } from 'commander'
import type { TenantOptions } from './options.ts'

export function withServerOptions(made: Command): Command {
  return made
    .option('--url <address>', 'work against this server instead of a log (default: LOOMLOG_URL)')
    .option('--key <key>', 'API key of the server (default: LOOMLOG_KEY, which a list of processes does not show)')
}

/** @throws LoomlogError `input-invalid` */
export function serverOf({ url, key, dir, tenant }: TenantOptions): LoomlogClient | null {
  // --dir names a log, also where the environment names a server.
  const address = url ?? (dir === undefined ? process.env.LOOMLOG_URL : undefined)
  if (url !== undefined && dir !== undefined)
    throw new LoomlogError('input-invalid', '--url names a server and --dir a log: expected one of them')
  if (!address) return null
  return new LoomlogClient({ url: address, key: key ?? process.env.LOOMLOG_KEY ?? null, tenant: tenant ?? null })
}
