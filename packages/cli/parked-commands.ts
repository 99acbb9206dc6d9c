/** The commands `loomlog parked …`. */
import type { CommandFrame } from './command-frame.ts'
import { type CommonOptions, json } from './options.ts'

export function addParkedCommands({ program, command, withLog }: CommandFrame): void {
  const parked = program.command('parked').description('inputs that could not be processed, each with the reason')
  command('list', 'list parked inputs', parked).action((options: CommonOptions) =>
    withLog(options, async (host) => (await import('./commands/parked.ts')).parkedList(json(options), host)),
  )
  command('show <id>', 'show a parked input with its content', parked).action((id: string, options: CommonOptions) =>
    withLog(options, async (host) => (await import('./commands/parked.ts')).parkedShow({ ...json(options), id }, host)),
  )
  command('retry <id>', 'process a parked input again, in the order of its space', parked)
    .option('--by <name>', 'name of the person or program that asks for it', process.env.USER ?? 'cli')
    .action((id: string, options: CommonOptions & { by: string }) =>
      withLog(options, async (host) =>
        (await import('./commands/parked.ts')).parkedRetry({ ...json(options), id, by: options.by }, host),
      ),
    )
}
