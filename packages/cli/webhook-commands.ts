/** The commands `loomlog webhooks …`. */
import type { Command } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import { type CommonOptions, json } from './options.ts'

interface TenantOptions extends CommonOptions {
  readonly tenant: string
  readonly by: string
}

interface CreateOptions extends TenantOptions {
  readonly space?: readonly string[]
  readonly type?: readonly string[]
  readonly from: string
}

export function addWebhookCommands({ program, command, withLog }: CommandFrame): void {
  const webhooks = program.command('webhooks').description('addresses that the feed is posted to')
  const ofTenant = (made: Command) =>
    made
      .option('--tenant <name>', 'tenant', 'default')
      .option('--by <name>', 'name of the person or program that asks for it', process.env.USER ?? 'cli')
  const load = () => import('./commands/webhooks.ts')

  ofTenant(command('create <url>', 'make a webhook, and show its secret once', webhooks))
    .option('--space <names...>', 'only events of these spaces (default: all of the tenant)')
    .option('--type <types...>', 'only events of these types, such as loomlog.fact.recorded (default: all)')
    .option('--from <place>', 'now or beginning: where its events begin', 'now')
    .action((url: string, options: CreateOptions) =>
      withLog(options, async (host) => {
        const { space = null, type = null, from, tenant, by } = options
        const wanted = { url, spaces: space, types: type, from }
        await (await load()).webhookCreate({ ...json(options), wanted, tenant, by }, host)
      }),
    )
  ofTenant(command('list', 'list webhooks with their status', webhooks)).action((options: TenantOptions) =>
    withLog(options, async (host) => (await load()).webhookList({ ...json(options), tenant: options.tenant }, host)),
  )
  for (const [name, status, description] of [
    ['pause', 'paused', 'post nothing until it is resumed'],
    ['resume', 'enabled', 'continue a paused or disabled webhook where it was'],
    ['remove', 'removed', 'remove a webhook for good'],
  ] as const) {
    ofTenant(command(`${name} <id>`, description, webhooks)).action((id: string, options: TenantOptions) =>
      withLog(options, async (host) => {
        const { tenant, by } = options
        await (await load()).webhookChange({ ...json(options), id, status, tenant, by }, host)
      }),
    )
  }
  ofTenant(command('parked <id>', 'list the events that the receiver did not accept', webhooks)).action(
    (id: string, options: TenantOptions) =>
      withLog(options, async (host) =>
        (await load()).webhookParked({ ...json(options), id, tenant: options.tenant }, host),
      ),
  )
  ofTenant(command('replay <id> [events...]', 'post parked events again (default: all of them)', webhooks)).action(
    (id: string, events: readonly string[], options: TenantOptions) =>
      withLog(options, async (host) => {
        const { tenant, by } = options
        await (await load()).webhookReplay({ ...json(options), id, events, tenant, by }, host)
      }),
  )
}
