/** The commands that look at a log and what was derived from it, and change nothing. */
import type { Making } from './command-frame.ts'
import { wholeNumber } from './number-options.ts'
import { type CommonOptions, json, type PlaceOptions } from './options.ts'

const ofGeneration = ({ generation: id }: { generation?: string }) => (id === undefined ? {} : { generation: id })

export function addLooking(making: Making): void {
  addTools(making)
  addLineage(making)
  addWhole(making)
}

function addTools({ command, inSpace, withLog, place }: Making): void {
  inSpace(
    command(
      'tools [name] [input]',
      'bounded looks at a memory, for models and for people; without a name: which there are',
    ),
  ).action(async (name: string | undefined, input: string | undefined, options: PlaceOptions) => {
    const { listTools, useTool } = await import('./commands/tools.ts')
    if (name === undefined) listTools(json(options))
    else
      await withLog(options, (host) =>
        useTool({ ...json(options), name, input: input ?? '{}', place: place(options) }, host),
      )
  })
}

/** Of one memory. */
function addLineage({ command, inSpace, withLog, place }: Making): void {
  inSpace(command('why <id>', 'where a memory comes from, down to the utterances')).action(
    (id: string, options: PlaceOptions) =>
      withLog(options, async (host) =>
        (await import('./commands/why.ts')).why({ ...json(options), id, place: place(options) }, host),
      ),
  )

  inSpace(command('impact <id>', 'everything that came of an utterance, box, fact, event or entry'))
    .option('--limit <number>', 'effects that are listed', wholeNumber, 100)
    .action((id: string, options: PlaceOptions & { limit: number }) =>
      withLog(options, async (host) =>
        (await import('./commands/impact.ts')).impact(
          { ...json(options), id, place: place(options), limit: options.limit },
          host,
        ),
      ),
    )
}

/** Of the whole log. */
function addWhole({ command, withLog, signal }: Making): void {
  command('tail <topic>', 'the events of a topic, as JSON lines')
    .option('--follow', 'go on as events come')
    .option('--generation <id>', 'of this generation, not of the live one')
    .action((topic: string, options: CommonOptions & { follow?: true; generation?: string }) =>
      withLog(options, async (host) =>
        (await import('./commands/tail.ts')).tail(
          { topic, until: options.follow ? 'follow' : 'end', ...ofGeneration(options) },
          host,
          signal,
        ),
      ),
    )

  command('status', 'how far each stage and view has come, what is parked, how large it is').action(
    (options: CommonOptions) =>
      withLog(options, async (host) => (await import('./commands/status.ts')).status(json(options), host)),
  )

  command('dump', 'the canonical dump of what was derived: equal wherever the conversations are')
    .option('--hash', 'only its hash')
    .option('--generation <id>', 'of this generation, not of the live one')
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
    'makes views anew from the log, beside those in use, and compares them row by row; exits 1 where they differ',
  )
    .option('--view <topic...>', 'which: the topics that they show; all of them by default', [])
    .action((options: CommonOptions & { view: string[] }) =>
      withLog(options, async (host) =>
        (await import('./commands/verify.ts')).verify({ ...json(options), views: options.view }, host),
      ),
    )
}
