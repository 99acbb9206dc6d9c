/** The words of `loomlog parked …`. */
import type { Making } from './command-frame.ts'
import { type CommonOptions, json } from './options.ts'

export function addParkedCommands({ program, command, withLog }: Making): void {
  const parked = program.command('parked').description('what could not be processed, whole, with the reason')
  command('list', 'all that is parked', parked).action((options: CommonOptions) =>
    withLog(options, async (host) => (await import('./commands/parked.ts')).parkedList(json(options), host)),
  )
  command('show <id>', 'one of them, with what it holds', parked).action((id: string, options: CommonOptions) =>
    withLog(options, async (host) => (await import('./commands/parked.ts')).parkedShow({ ...json(options), id }, host)),
  )
  command('retry <id>', 'try it again, in its turn', parked)
    .option('--by <name>', 'who asks', process.env.USER ?? 'cli')
    .action((id: string, options: CommonOptions & { by: string }) =>
      withLog(options, async (host) =>
        (await import('./commands/parked.ts')).parkedRetry({ ...json(options), id, by: options.by }, host),
      ),
    )
}
