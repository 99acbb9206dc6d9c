/** The commands `loomlog parked …`. */

import type { ParkedInput } from '@loomlog/app/parked'
import { path } from '@loomlog/client/loomlog-client'
import type { CommandFrame } from './command-frame.ts'
import { json, type ServerOptions } from './options.ts'

interface ParkedOptions extends ServerOptions {
  readonly tenant?: string
}

export function addParkedCommands({ program, command, withServerOptions, server, withLog }: CommandFrame): void {
  const parked = program.command('parked').description('inputs that could not be processed, each with the reason')
  const made = (usage: string, description: string) =>
    withServerOptions(command(usage, description, parked)).option('--tenant <name>', 'tenant of a server')
  made('list', 'list parked inputs').action(async (options: ParkedOptions) => {
    const { parkedIn, printParked } = await import('./commands/parked.ts')
    const from = server(options)
    if (from !== null) return printParked((await from.list<ParkedInput>('/v1/parked', 'parked')).items, json(options))
    await withLog(options, async (host) => printParked(await parkedIn(host), json(options)))
  })
  made('show <id>', 'show a parked input with its content').action(async (id: string, options: ParkedOptions) => {
    const { parkedDetails, printDetails } = await import('./commands/parked.ts')
    const from = server(options)
    if (from !== null) return printDetails(await from.get(path`/v1/parked/${id}`), json(options))
    await withLog(options, async (host) => printDetails(await parkedDetails(id, host), json(options)))
  })
  made('retry <id>', 'process a parked input again, in the order of its space')
    .option('--by <name>', 'name of the person or program that asks for it', process.env.USER || 'cli')
    .action(async (id: string, options: ParkedOptions & { by: string }) => {
      const { printRetry, retry } = await import('./commands/parked.ts')
      const { by } = options
      const from = server(options)
      if (from !== null) return printRetry(id, await from.post(path`/v1/parked/${id}/retry`, { by }), json(options))
      await withLog(options, async (host) => printRetry(id, await retry(id, by, host), json(options)))
    })
}
