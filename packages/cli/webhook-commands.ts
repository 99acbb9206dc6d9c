/** The commands `loomlog webhooks …`. */
import type { LoomlogClient } from '@loomlog/client/loomlog-client'
import type { Host } from '@loomlog/host/open'
import type { CommandFrame, Work } from './command-frame.ts'
import { defaultTenant, json, type TenantOptions, tenantHelp } from './options.ts'
import type { WebhookOperations } from './webhook-operations.ts'

interface AuthorOptions extends TenantOptions {
  readonly by: string
}

interface CreateOptions extends AuthorOptions {
  readonly space?: readonly string[]
  readonly type?: readonly string[]
  readonly from: string
}

export function addWebhookCommands(frame: CommandFrame): void {
  const webhooks = frame.program.command('webhooks').description('addresses that the feed is posted to')
  const made = (usage: string, description: string) =>
    frame
      .withServerOptions(frame.command(usage, description, webhooks))
      .option('--tenant <name>', tenantHelp)
      .option('--by <name>', 'name of the person or program that asks for it', process.env.USER || 'cli')
  const load = () => import('./commands/webhooks.ts')
  const within = (options: AuthorOptions, work: Work<WebhookOperations>) => withWebhooks(frame, options, work)

  made('create <url>', 'make a webhook, and show its secret once')
    .option('--space <names...>', 'only events of these spaces (default: all of the tenant)')
    .option('--type <types...>', 'only events of these types, such as loomlog.fact.recorded (default: all)')
    .option('--from <place>', 'now or beginning: where its events begin', 'now')
    .action((to: string, options: CreateOptions) => {
      const { space = null, type = null, from } = options
      const wanted = { url: to, spaces: space, types: type, from }
      return within(options, async (on) => (await load()).webhookCreate(wanted, json(options), on))
    })
  made('list', 'list webhooks with their status').action((options: AuthorOptions) =>
    within(options, async (on) => (await load()).webhookList(json(options), on)),
  )
  for (const [command, description] of [
    ['pause', 'post nothing until it is resumed'],
    ['resume', 'continue a paused or disabled webhook where it was'],
    ['remove', 'remove a webhook for good'],
  ] as const) {
    made(`${command} <id>`, description).action((id: string, options: AuthorOptions) =>
      within(options, async (on) => (await load()).webhookChange({ ...json(options), id, command }, on)),
    )
  }
  made('parked <id>', 'list the events that the receiver did not accept').action((id: string, options: AuthorOptions) =>
    within(options, async (on) => (await load()).webhookParked({ ...json(options), id }, on)),
  )
  made('replay <id> [events...]', 'post parked events again (default: all of them)').action(
    (id: string, events: readonly string[], options: AuthorOptions) =>
      within(options, async (on) => (await load()).webhookReplay({ ...json(options), id, events }, on)),
  )
}

function withWebhooks({ withEither }: CommandFrame, options: AuthorOptions, work: Work<WebhookOperations>) {
  const asking = { ...options, tenant: options.tenant ?? defaultTenant }
  const operations = {
    onServer: async (server: LoomlogClient) => (await import('./server-webhooks.ts')).serverWebhooks(server),
    onLog: async (host: Host) => (await import('./webhook-operations.ts')).webhookOperations(host, asking),
  }
  return withEither(options, operations, work)
}
