/** The command `mcp`. */
import { configOf } from './command-config.ts'
import type { CommandFrame } from './command-frame.ts'
import type { SpaceOptions } from './options.ts'

export function addMcpCommand(frame: CommandFrame): void {
  const { command, withSpaceOptions, withServerOptions, server, place, signal } = frame
  const about = 'serve a space to an MCP client, on standard input and output'
  withServerOptions(withSpaceOptions(command('mcp', about)))
    .option('--author <name>', 'the person for whom the agent works: default speaker, and author of corrections')
    .action(async (options: SpaceOptions & { author?: string }) => {
      const { serveMcp } = await import('./commands/mcp.ts')
      const { tenant, space } = place(options)
      const from = { server: server(options), dir: configOf(options).dir, tenant }
      await serveMcp({ ...from, space, author: options.author, signal })
    })
}
