/** The commands `loomlog keys …`. */
import { scopes } from '@loomlog/access/scopes'
import { Option } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import { type CommonOptions, json } from './options.ts'

interface CreateOptions extends CommonOptions {
  readonly tenant?: string
  readonly everyTenant?: true
  readonly scope: readonly string[]
  readonly space?: readonly string[]
  readonly label: string
}

export function addKeysCommands({ program, command, withLog, withNewLog }: CommandFrame): void {
  const keys = program
    .command('keys')
    .description('API keys of the HTTP API; once there is one, every request needs one')
  command('create', 'make a key, which is shown once', keys)
    .option('--tenant <name>', 'the only tenant that the key reaches')
    .option('--every-tenant', 'a key for every tenant; a request names its tenant')
    .addOption(
      new Option('--scope <scope...>', 'kinds of request that the key allows').choices(scopes).makeOptionMandatory(),
    )
    .option('--space <name...>', 'the only spaces that the key reaches (default: every space of the tenant)')
    .option('--label <text>', 'the program that uses the key, for lists', '')
    .action((options: CreateOptions) =>
      withNewLog(options, async (host) => {
        const { keysCreate } = await import('./commands/keys.ts')
        const { tenant = null, everyTenant = false, scope, space = null, label } = options
        await keysCreate({ ...json(options), tenant, everyTenant, scopes: scope, spaces: space, label }, host)
      }),
    )
  command('list', 'list the keys with their scopes, and which are revoked', keys).action((options: CommonOptions) =>
    withLog(options, async (host) => (await import('./commands/keys.ts')).keysList(json(options), host)),
  )
  command('revoke <id>', 'withdraw a key: running gateways refuse it at once', keys).action(
    (id: string, options: CommonOptions) =>
      withLog(options, async (host) => (await import('./commands/keys.ts')).keysRevoke({ ...json(options), id }, host)),
  )
}
