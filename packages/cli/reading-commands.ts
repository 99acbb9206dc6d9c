/** Commands that read a log and its memory, and change nothing. */
import type { CommandFrame } from './command-frame.ts'
import { wholeNumber } from './number-options.ts'
import { type CommonOptions, json, type PlaceOptions } from './options.ts'

const ofGeneration = ({ generation: id }: { generation?: string }) => (id === undefined ? {} : { generation: id })

export function addReadingCommands(frame: CommandFrame): void {
  addTools(frame)
  addLineage(frame)
  addWhole(frame)
}

function addTools({ command, inSpace, withLog, place }: CommandFrame): void {
  inSpace(
    command('tools [name] [input]', 'use one of the retrieval tools that models are given; without a name, list them'),
  ).action(async (name: string | undefined, input: string | undefined, options: PlaceOptions) => {
    const { listTools, useTool } = await import('./commands/tools.ts')
    if (name === undefined) listTools(json(options))
    else
      await withLog(options, (host) =>
        useTool({ ...json(options), name, input: input ?? '{}', place: place(options) }, host),
      )
  })
}

/** About one memory. */
function addLineage({ command, inSpace, withLog, place }: CommandFrame): void {
  inSpace(command('why <id>', 'show the sources of a memory, down to the utterances')).action(
    (id: string, options: PlaceOptions) =>
      withLog(options, async (host) =>
        (await import('./commands/why.ts')).why({ ...json(options), id, place: place(options) }, host),
      ),
  )

  inSpace(command('impact <id>', 'list every memory derived from an utterance, box, fact, event or entry'))
    .option('--limit <number>', 'number of memories to list', wholeNumber, 100)
    .action((id: string, options: PlaceOptions & { limit: number }) =>
      withLog(options, async (host) =>
        (await import('./commands/impact.ts')).impact(
          { ...json(options), id, place: place(options), limit: options.limit },
          host,
        ),
      ),
    )
}

/** About the whole log. */
function addWhole({ command, withLog, signal }: CommandFrame): void {
  command('tail <topic>', 'print the events of a topic as JSON lines')
    .option('--follow', 'print new events as they arrive')
    .option('--generation <id>', 'read this generation instead of the live one')
    .action((topic: string, options: CommonOptions & { follow?: true; generation?: string }) =>
      withLog(options, async (host) =>
        (await import('./commands/tail.ts')).tail(
          { topic, until: options.follow ? 'follow' : 'end', ...ofGeneration(options) },
          host,
          signal,
        ),
      ),
    )

  command('status', 'show the progress of every stage and view, parked inputs, and disk use').action(
    (options: CommonOptions) =>
      withLog(options, async (host) => (await import('./commands/status.ts')).status(json(options), host)),
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
