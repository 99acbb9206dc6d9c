/** Commands that read a log and its memory, and change nothing. */
import { LoomlogError } from '@loomlog/errors'
import type { CommandFrame } from './command-frame.ts'
import { wholeNumber } from './number-options.ts'
import {
  type CommonOptions,
  json,
  type ServerOptions,
  type SpaceOptions,
  type TenantOptions,
  tenantHelp,
} from './options.ts'

const ofGeneration = ({ generation: id }: { generation?: string }) => (id === undefined ? {} : { generation: id })

interface TailOptions extends TenantOptions {
  readonly follow?: true
  readonly generation?: string
}

export function addReadingCommands(frame: CommandFrame): void {
  addTools(frame)
  addLineage(frame)
  addWholeLog(frame)
}

function addTools({ command, withSpaceOptions, withServerOptions, withMemory, place }: CommandFrame): void {
  withServerOptions(
    withSpaceOptions(
      command(
        'tools [name] [input]',
        'use one of the retrieval tools that models are given; without a name, list them',
      ),
    ),
  ).action(async (name: string | undefined, input: string | undefined, options: SpaceOptions) => {
    const { listTools, parsedInput, printTool } = await import('./commands/tools.ts')
    if (name === undefined) return listTools(json(options))
    const parsed = parsedInput(input ?? '{}')
    const { space } = place(options)
    await withMemory(options, async (memory) =>
      printTool(await memory.space(space).useTool(name, parsed), json(options)),
    )
  })
}

/** Adds the commands on one memory: `why` and `impact`. */
function addLineage({ command, withSpaceOptions, withServerOptions, withMemory, place }: CommandFrame): void {
  withServerOptions(
    withSpaceOptions(command('why <id>', 'show the sources of a memory, down to the utterances')),
  ).action(async (id: string, options: SpaceOptions) => {
    const { printWhy } = await import('./commands/why.ts')
    const { space } = place(options)
    await withMemory(options, async (memory) => printWhy(await memory.space(space).why(id), json(options)))
  })

  withServerOptions(
    withSpaceOptions(command('impact <id>', 'list every memory derived from an utterance, box, fact or entry')),
  )
    .option('--limit <number>', 'number of memories to list', wholeNumber, 100)
    .action(async (id: string, options: SpaceOptions & { limit: number }) => {
      const { printImpact } = await import('./commands/impact.ts')
      const { space } = place(options)
      await withMemory(options, async (memory) =>
        printImpact(await memory.space(space).impact(id, options), json(options)),
      )
    })
}

/** Adds the commands on the whole log: `tail`, `status`, `dump` and `verify`. */
function addWholeLog({ command, withServerOptions, server, withMemory, withLog, signal }: CommandFrame): void {
  withServerOptions(command('tail <topic>', 'print the events of a topic as JSON lines'))
    .option('--tenant <name>', `of the feed: ${tenantHelp}`)
    .option('--follow', 'print new events as they arrive')
    .option('--generation <id>', 'read this generation instead of the live one')
    .action(async (topic: string, options: TailOptions) => {
      const until = options.follow ? 'follow' : 'end'
      const { feedTopic, printFeed, tail } = await import('./commands/tail.ts')
      if (topic === feedTopic)
        return withMemory(options, (memory) => printFeed(memory, { follow: until === 'follow', signal }))
      if (server(options) !== null)
        throw new LoomlogError(
          'input-invalid',
          `the topic is ${topic}: expected ${feedTopic}, the only one of a server`,
        )
      await withLog(options, (host) => tail({ topic, until, ...ofGeneration(options) }, host, signal))
    })

  withServerOptions(command('status', 'show the progress of every stage and view, parked inputs, and disk use')).action(
    async (options: ServerOptions) => {
      const { printStatus } = await import('./commands/status.ts')
      const from = server(options)
      if (from !== null) return printStatus(await from.get('/v1/status'), json(options))
      const { statusReader } = await import('@loomlog/app/status')
      const { readUsage } = await import('@loomlog/app/usage')
      await withLog(options, async (host) =>
        printStatus({ ...(await statusReader(host)()), usage: await readUsage(host, null) }, json(options)),
      )
    },
  )

  command('dump', 'print the canonical dump of a generation: equal on every log with the same conversations')
    .option('--hash', 'print only its hash')
    .option('--generation <id>', 'read this generation instead of the live one')
    .action((options: CommonOptions & { hash?: true; generation?: string }) =>
      withLog(options, async (host) =>
        (await import('./commands/dump.ts')).dump(
          { ...json(options), show: options.hash ? 'hash' : 'lines', ...ofGeneration(options) },
          host,
        ),
      ),
    )

  command(
    'verify',
    'rebuild the views from the log in a temporary folder, and compare them row by row; exits with 1 where they differ',
  )
    .option('--view <topic...>', 'only the views of these topics')
    .option('--repair', 'make the shards again that differ or cannot be read')
    .action((options: CommonOptions & { view?: string[]; repair?: true }) =>
      withLog(options, async (host) => {
        const { verify } = await import('./commands/verify.ts')
        const mode = options.repair ? 'repair' : 'report'
        await verify({ ...json(options), views: options.view ?? [], mode, signal }, host)
      }),
    )
}
