/** The command `completion`. */
import { Argument } from 'commander'
import type { CommandFrame } from './command-frame.ts'
import { type Shell, shells } from './completion.ts'

export function addCompletionCommand({ program }: CommandFrame): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(shells))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./completion.ts')
      process.stdout.write(completionScript(shell, program))
    })
}
