#!/usr/bin/env node
/**
 * `loomlog`, the command line. Exit codes: 0 it is done; 1 it could not be done, and may be tried again; 2 what was asked for is
 * wrong; 130 it was stopped with Ctrl-C.
 *
 * A command's code is loaded when the command is known to be well-formed: help and wrong words answer at once.
 */
import { existsSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { type Config, configFrom } from '@loomlog/host/config'
import type { Host } from '@loomlog/host/open'
import { formats } from '@loomlog/intake/formats'
import { checkedPlace, type Place } from '@loomlog/intake/utterance'
import { Command } from 'commander'
import { addCorrections } from './correcting.ts'
import { addGenerationCommands } from './generation-commands.ts'
import { portNumber, wholeNumber } from './numbers.ts'
import { type CommonOptions, json, type PlaceOptions } from './options.ts'
import { printJson, say } from './print.ts'
import { addRecall } from './recalling.ts'

// Every command is a process of its own: what the last one compiled is kept for the next.
module.enableCompileCache?.()

const stop = new AbortController()
const program = new Command('loomlog')
  .description('The replayable memory log for AI agents.')
  .showHelpAfterError('loomlog --help says what there is')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))

/** Every command takes these. */
function command(usage: string, description: string, parent: Command = program): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--dir <folder>', 'the folder of the log and its views (LOOMLOG_DIR, else .loomlog)')
    .option('--json', 'print JSON')
}

function inSpace(made: Command): Command {
  return made.option('--tenant <name>', 'the tenant', 'default').option('--space <name>', 'the space', 'default')
}

function configOf(options: CommonOptions): Config {
  return configFrom(options.dir === undefined ? process.env : { ...process.env, LOOMLOG_DIR: options.dir })
}

/** For commands that look at a log: one that isn't there is a mistake, and not made. */
async function withLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void> {
  const { dir, log } = configOf(options)
  if (log.kind === 'sqlite' && !existsSync(join(dir, 'log.db'))) {
    throw new LoomlogError('not-found', `there is no log in ${dir}: loomlog ingest and loomlog up make one`)
  }
  await withHost(options, work)
}

/** Opens what the command works on, making it if need be, and closes it whatever happens. */
async function withHost(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void> {
  const config = configOf(options)
  const { openHost } = await import('@loomlog/host/open')
  const host = await openHost(config)
  try {
    await work(host)
  } finally {
    await host.close()
  }
}

const ofGeneration = ({ generation: id }: { generation?: string }) => (id === undefined ? {} : { generation: id })
const place = ({ tenant, space }: PlaceOptions): Place => checkedPlace({ tenant, space })

command('up', 'run everything in one process, with HTTP on 127.0.0.1')
  .option('--port <number>', 'the port; 0: any that is free', portNumber, 7070)
  .action(async (options: CommonOptions & { port: number }) => {
    const { checkPort, up } = await import('./commands/up.ts')
    await checkPort(options.port)
    await withHost(options, (host) => up({ ...json(options), port: options.port }, host, stop.signal))
  })

program
  .command('demo')
  .description('a conversation of several people and agents, and the memory that is made of it')
  .option('--keep <folder>', 'keep the log and views in this folder')
  .option('--json', 'print JSON')
  .action(async (options: { keep?: string; json?: true }) =>
    (await import('./commands/demo.ts')).demo({ ...json(options), keep: options.keep ?? null }, stop.signal),
  )

inSpace(command('ingest <file>', 'append the conversations of a file, and derive everything from them'))
  .option('--format <format>', formats.join(' or '), 'jsonl')
  .action(async (file: string, options: PlaceOptions & { format: string }) => {
    const { ingest, readIncoming } = await import('./commands/ingest.ts')
    const asked = { ...json(options), file, format: options.format, place: place(options) }
    const incoming = await readIncoming(asked)
    await withHost(options, (host) => ingest(asked, incoming, host, stop.signal))
  })

addRecall({ command, inSpace, withLog, json, place })

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

inSpace(command('why <id>', 'where a memory comes from, down to the utterances')).action(
  (id: string, options: PlaceOptions) =>
    withLog(options, async (host) =>
      (await import('./commands/why.ts')).why({ ...json(options), id, place: place(options) }, host),
    ),
)

addCorrections({ command, inSpace, withLog, json, place, signal: stop.signal })

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

command('tail <topic>', 'the events of a topic, as JSON lines')
  .option('--follow', 'go on as events come')
  .option('--generation <id>', 'of this generation, not of the live one')
  .action((topic: string, options: CommonOptions & { follow?: true; generation?: string }) =>
    withLog(options, async (host) =>
      (await import('./commands/tail.ts')).tail(
        { topic, until: options.follow ? 'follow' : 'end', ...ofGeneration(options) },
        host,
        stop.signal,
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

const topics = program.command('topics').description('the topics of the log beside those it should have')
for (const [what, description] of [
  ['plan', 'what differs'],
  ['apply', 'make what is missing, and put right what can be'],
] as const) {
  command(what, description, topics)
    .option('--partitions <number>', 'how many a new log is to have', wholeNumber)
    .action(async (options: CommonOptions & { partitions?: number }) => {
      const config = configOf(options)
      const { openLog } = await import('@loomlog/host/open-log')
      const log = await openLog(config)
      const partitions = { partitions: options.partitions ?? null, configuredPartitions: config.partitions }
      const { topics: compare } = await import('./commands/topics.ts')
      await compare({ ...json(options), ...partitions, do: what }, log).finally(() => log.close())
    })
}

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

addGenerationCommands({ program, command, withLog, signal: stop.signal })

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

/** The first signal lets the work under way come to an end; the second does not wait. */
function onSignal(): void {
  if (stop.signal.aborted) process.exit(130)
  stop.abort()
  process.exitCode = 130
}
process.on('SIGINT', onSignal)
process.on('SIGTERM', onSignal)

// Whoever read our output has seen enough, as `head` has: no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

try {
  await program.parseAsync()
} catch (error) {
  fail(error)
}

/** What the system refuses (a full disk, a right that is missing) is told like errors of our own; anything else is a bug, and shown whole. */
function fail(error: unknown): void {
  const isSystemError = error instanceof Error && 'syscall' in error
  if (!isLoomlogError(error) && !isSystemError) throw error
  const { code, message } = error as LoomlogError | NodeJS.ErrnoException
  if (process.argv.includes('--json')) printJson({ error: { code, message } })
  say(`loomlog: ${message}`)
  if (!stop.signal.aborted) process.exitCode = isLoomlogError(error) && !error.retryable ? 2 : 1
}
