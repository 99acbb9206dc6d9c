/** The commands `loomlog parked …`. */

import type { ParkedInput } from '@loomlog/app/parked'
import type { ParkedOperations } from '@loomlog/app/parked-operations'
import { type LoomlogClient, path } from '@loomlog/client/loomlog-client'
import type { Host } from '@loomlog/host/open'
import type { CommandFrame } from './command-frame.ts'
import { json, type TenantOptions } from './options.ts'

/** On a log, the inputs of every tenant. */
const operations = {
  onServer: async (server: LoomlogClient): Promise<ParkedOperations> => ({
    list: async () => (await server.list<ParkedInput>('/v1/parked', 'parked')).items,
    details: (id) => server.get(path`/v1/parked/${id}`),
    retry: (id, _tenant, by) => server.post(path`/v1/parked/${id}/retry`, { by }),
  }),
  onLog: async (host: Host) => (await import('@loomlog/app/parked-operations')).parkedOperations(host),
}

export function addParkedCommands({ program, command, withServerOptions, withEither }: CommandFrame): void {
  const parked = program.command('parked').description('inputs that could not be processed, each with the reason')
  const made = (usage: string, description: string) =>
    withServerOptions(command(usage, description, parked)).option('--tenant <name>', 'tenant of a server')
  const load = () => import('./commands/parked.ts')
  made('list', 'list parked inputs').action((options: TenantOptions) =>
    withEither(options, operations, async (on) => (await load()).printParked(await on.list(null), json(options))),
  )
  made('show <id>', 'show a parked input with its content').action((id: string, options: TenantOptions) =>
    withEither(options, operations, async (on) =>
      (await load()).printDetails(await on.details(id, null), json(options)),
    ),
  )
  made('retry <id>', 'process a parked input again, in the order of its space')
    .option('--by <name>', 'name of the person or program that asks for it', process.env.USER || 'cli')
    .action((id: string, options: TenantOptions & { by: string }) =>
      withEither(options, operations, async (on) =>
        (await load()).printRetry(id, await on.retry(id, null, options.by), json(options)),
      ),
    )
}
