/** The commands on whole logs: `topics plan|apply`, `backup`, `restore` and `log copy`. */

import type { Making } from './command-frame.ts'
import { checkIsThere, configOf } from './config-of.ts'
import { wholeNumber } from './number-options.ts'
import { type CommonOptions, json } from './options.ts'

export function addLogCommands({ program, command }: Making): void {
  const topics = program.command('topics').description('the topics of the log beside those it should have')
  for (const [what, description] of [
    ['plan', 'what differs'],
    ['apply', 'make what is missing, and put right what can be'],
  ] as const) {
    command(what, description, topics)
      .option('--partitions <number>', 'how many a new log is to have', wholeNumber)
      .action(async (options: CommonOptions & { partitions?: number }) => {
        const config = configOf(options)
        if (what === 'plan') checkIsThere(config)
        const { openLog } = await import('@loomlog/host/open-log')
        const log = await openLog(config)
        const partitions = { partitions: options.partitions ?? null, configuredPartitions: config.partitions }
        const { topics: compare } = await import('./commands/topics.ts')
        await compare({ ...json(options), ...partitions, do: what }, log).finally(() => log.close())
      })
  }

  command('backup <folder>', 'copy the embedded log to a folder, while loomlog runs, and check the copy').action(
    async (folder: string, options: CommonOptions) =>
      (await import('./commands/backup.ts')).backup({ ...json(options), folder }, configOf(options)),
  )
  command('restore <folder>', 'check a backup, and put it in the place of the embedded log').action(
    async (folder: string, options: CommonOptions) =>
      (await import('./commands/backup.ts')).restore({ ...json(options), folder }, configOf(options)),
  )

  program
    .command('log')
    .description('the log itself')
    .command('copy')
    .description(
      'what was said and the answers that were paid for, into another log; the rest is derived from them there',
    )
    .requiredOption('--from <log>', 'sqlite:DIR, kafka:BROKERS or kafka:BROKERS/ENVIRONMENT')
    .requiredOption('--to <log>', 'the same')
    .option('--json', 'print JSON')
    .action(async (options: CommonOptions & { from: string; to: string }) =>
      (await import('./commands/log-copy.ts')).logCopy(
        { ...json(options), from: options.from, to: options.to },
        process.env,
      ),
    )
}
