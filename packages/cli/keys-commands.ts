/** The commands `loomlog keys …`. */
import { roles } from '@loomlog/access/roles'
import { scopes } from '@loomlog/access/scopes'
import { Option } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import { type CommonOptions, json } from './options.ts'

interface CreateOptions extends CommonOptions {
  readonly tenant?: string
  readonly everyTenant?: true
  readonly scope: readonly string[]
  readonly space?: readonly string[]
  readonly speaker?: readonly string[]
  readonly role?: readonly string[]
  readonly expires: string
  readonly label: string
}

interface RotateOptions extends CommonOptions {
  readonly overlap: string
  readonly expires?: string
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
    .option('--speaker <name...>', 'the only authors in whose names the key writes (default: any)')
    .addOption(
      new Option('--role <role...>', 'the only roles of authors in which the key writes (default: any)').choices(roles),
    )
    .option('--expires <when>', 'the end of the key: a duration such as 90d, a time with a zone, or never', 'never')
    .option('--label <text>', 'the program that uses the key, for lists', '')
    .action((options: CreateOptions) =>
      withNewLog(options, async (host) => {
        const { keysCreate } = await import('./commands/keys.ts')
        const { tenant = null, everyTenant = false, scope: scopes, space: spaces = null, expires, label } = options
        const { speaker: speakers = null, role: roles = null } = options
        const grants = { tenant, everyTenant, scopes, spaces, speakers, roles, expires, label }
        await keysCreate({ ...json(options), ...grants }, host)
      }),
    )
  command('list', 'list the keys: expiry, reach, scopes, authors, last use, and which have ended', keys).action(
    (options: CommonOptions) =>
      withLog(options, async (host) => (await import('./commands/keys.ts')).keysList(json(options), host)),
  )
  command('rotate <id>', 'make a new key with the grants of this one, which ends after an overlap', keys)
    .option('--overlap <duration>', 'how long the old key stays valid, such as 2h or 7d; 0: not at all', '24h')
    .option('--expires <when>', 'the end of the new key (default: as long as the old one was made for)')
    .action((id: string, options: RotateOptions) =>
      withLog(options, async (host) => {
        const { overlap, expires } = options
        await (await import('./commands/keys.ts')).keysRotate({ ...json(options), id, overlap, expires }, host)
      }),
    )
  command('revoke <id>', 'withdraw a key: running gateways refuse it at once', keys).action(
    (id: string, options: CommonOptions) =>
      withLog(options, async (host) => (await import('./commands/keys.ts')).keysRevoke({ ...json(options), id }, host)),
  )
}
