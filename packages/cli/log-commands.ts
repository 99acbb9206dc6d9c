/** The commands on whole logs: `topics plan|apply`, `backup`, `restore` and `log copy`. */

import { checkLogExists, configOf } from './command-config.ts'
import type { CommandFrame } from './command-frame.ts'
import { wholeNumber } from './number-options.ts'
import { type CommonOptions, json } from './options.ts'

export function addLogCommands({ program, command }: CommandFrame): void {
  const topics = program.command('topics').description('compare the topics of the log with those that loomlog needs')
  for (const [action, description] of [
    ['plan', 'list differences'],
    ['apply', 'create missing topics, and correct settings that can change'],
  ] as const) {
    command(action, description, topics)
      .option('--partitions <number>', 'number of partitions for a new log', wholeNumber)
      .action(async (options: CommonOptions & { partitions?: number }) => {
        const config = configOf(options)
        if (action === 'plan') checkLogExists(config)
        const { loadExtensions } = await import('@loomlog/host/extensions')
        const { topics: needed } = await loadExtensions(config.extensions)
        const { openLog } = await import('@loomlog/host/open-log')
        const log = await openLog(config)
        const wanted = {
          topics: needed,
          partitions: options.partitions ?? null,
          configuredPartitions: config.partitions,
        }
        const { topics: compare } = await import('./commands/topics.ts')
        await compare({ ...json(options), ...wanted, do: action }, log).finally(() => log.close())
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
    .description('commands on the whole log')
    .command('copy')
    .description(
      'copy a log into another one: utterances, recorded answers, generations, parked inputs, recalls, webhooks; the rest is derived again there',
    )
    .requiredOption('--from <log>', 'sqlite:DIR, kafka:BROKERS or kafka:BROKERS/ENVIRONMENT')
    .requiredOption('--to <log>', 'target, in the same form')
    .option('--json', 'print results as JSON')
    .action(async (options: CommonOptions & { from: string; to: string }) =>
      (await import('./commands/log-copy.ts')).logCopy(
        { ...json(options), from: options.from, to: options.to },
        process.env,
      ),
    )
}
