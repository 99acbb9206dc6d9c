/** Commands that read a log and its memory, and change nothing. */
import { path } from '@loomlog/client/loomlog-client'
import type { CommandFrame } from './command-frame.ts'
import { wholeNumber } from './number-options.ts'
import { type CommonOptions, json, type ServerOptions, type SpaceOptions } from './options.ts'

const ofGeneration = ({ generation: id }: { generation?: string }) => (id === undefined ? {} : { generation: id })

interface TailOptions extends ServerOptions {
  readonly follow?: true
  readonly generation?: string
  readonly tenant?: string
}

export function addReadingCommands(frame: CommandFrame): void {
  addTools(frame)
  addLineage(frame)
  addWholeLog(frame)
}

function addTools({ command, withSpaceOptions, withServerOptions, server, withLog, place }: CommandFrame): void {
  withServerOptions(
    withSpaceOptions(
      command(
        'tools [name] [input]',
        'use one of the retrieval tools that models are given; without a name, list them',
      ),
    ),
  ).action(async (name: string | undefined, input: string | undefined, options: SpaceOptions) => {
    const { listTools, parsedInput, printTool, useTool } = await import('./commands/tools.ts')
    if (name === undefined) return listTools(json(options))
    const request = { ...json(options), name, input: parsedInput(input ?? '{}'), place: place(options) }
    const from = server(options)
    if (from !== null)
      return printTool(await from.post(path`/v1/spaces/${options.space}/tools/${name}`, request.input), request)
    await withLog(options, async (host) => printTool(await useTool(request, host), request))
  })
}

/** Adds the commands on one memory: `why` and `impact`. */
function addLineage({ command, withSpaceOptions, withServerOptions, server, withLog, place }: CommandFrame): void {
  withServerOptions(
    withSpaceOptions(command('why <id>', 'show the sources of a memory, down to the utterances')),
  ).action(async (id: string, options: SpaceOptions) => {
    const { printWhy, whyIn } = await import('./commands/why.ts')
    const request = { ...json(options), id, place: place(options) }
    const from = server(options)
    if (from !== null) return printWhy(await from.get(path`/v1/spaces/${options.space}/memories/${id}/why`), request)
    await withLog(options, async (host) => printWhy(await whyIn(request, host), request))
  })

  withServerOptions(
    withSpaceOptions(command('impact <id>', 'list every memory derived from an utterance, box, fact or entry')),
  )
    .option('--limit <number>', 'number of memories to list', wholeNumber, 100)
    .action(async (id: string, options: SpaceOptions & { limit: number }) => {
      const { impactIn, printImpact } = await import('./commands/impact.ts')
      const { limit } = options
      const request = { ...json(options), id, place: place(options), limit }
      const from = server(options)
      if (from !== null)
        return printImpact(await from.get(path`/v1/spaces/${options.space}/memories/${id}/impact`, { limit }), request)
      await withLog(options, async (host) => printImpact(await impactIn(request, host), request))
    })
}

/** Adds the commands on the whole log: `tail`, `status`, `dump` and `verify`. */
function addWholeLog({ command, withServerOptions, server, withLog, signal }: CommandFrame): void {
  withServerOptions(command('tail <topic>', 'print the events of a topic as JSON lines'))
    .option('--tenant <name>', 'tenant of a server')
    .option('--follow', 'print new events as they arrive')
    .option('--generation <id>', 'read this generation instead of the live one')
    .action(async (topic: string, options: TailOptions) => {
      const until = options.follow ? 'follow' : 'end'
      const from = server(options)
      if (from !== null) return (await import('./server/tail-feed.ts')).tailFeed(from, { topic, until }, signal)
      const { tail } = await import('./commands/tail.ts')
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
