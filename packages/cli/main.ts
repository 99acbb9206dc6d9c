#!/usr/bin/env node
/**
 * `loomlog`, the command line. Exit codes: 0 it is done; 1 it could not be done, and may be tried again; 2 what was asked for is
 * wrong; 130 it was stopped with Ctrl-C.
 *
 * A command's code is loaded when the command is known to be well-formed: help and wrong words answer at once.
 */
import module from 'node:module'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { formats } from '@loomlog/intake/formats'
import { checkedPlace, type Place } from '@loomlog/intake/utterance'
import { Command } from 'commander'
import type { Making } from './command-frame.ts'
import { checkIsThere, configOf } from './config-of.ts'
import { addCorrections } from './correction-commands.ts'
import { addGenerationCommands } from './generation-commands.ts'
import { addLogCommands } from './log-commands.ts'
import { portNumber } from './number-options.ts'
import { type CommonOptions, json, type PlaceOptions } from './options.ts'
import { addParkedCommands } from './parked-commands.ts'
import { printJson, say } from './print.ts'
import { addLooking } from './reading-commands.ts'
import { addRecall } from './recall-command.ts'

// Every command is a process of its own: what the last one compiled is kept for the next.
module.enableCompileCache?.()

const stop = new AbortController()
const program = new Command('loomlog')
  .description('The replayable memory log for AI agents.')
  .showHelpAfterError('loomlog --help says what there is')
  .exitOverride(({ exitCode, message }) => {
    if (exitCode !== 0 && process.argv.includes('--json'))
      printJson({ error: { code: 'input-invalid', message: message.replace(/^error: /, '') } })
    process.exit(exitCode === 0 ? 0 : 2)
  })

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

/** For commands that look at a log. */
async function withLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void> {
  checkIsThere(configOf(options))
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

const place = ({ tenant, space }: PlaceOptions): Place => checkedPlace({ tenant, space })
const making: Making = { program, command, inSpace, withLog, place, signal: stop.signal }

command('init', 'make the topics and the first generation of a log; derives nothing').action((options: CommonOptions) =>
  withHost(options, async (host) => (await import('./commands/init.ts')).init(json(options), host)),
)

command('up', 'run everything in one process, with HTTP on 127.0.0.1')
  .option('--port <number>', 'the port; 0: any that is free', portNumber, 7070)
  .action(async (options: CommonOptions & { port: number }) => {
    const { checkPort } = await import('@loomlog/app/server')
    const { localHost, up } = await import('./commands/up.ts')
    await checkPort({ host: localHost, port: options.port })
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
  .option(
    '--format <format>',
    `${formats.join(' or ')}, where each conversation gets a space of its own: with --space s1, conv-26 goes to s1-conv-26`,
    'jsonl',
  )
  .action(async (file: string, options: PlaceOptions & { format: string }) => {
    const { ingest, readIncoming } = await import('./commands/ingest.ts')
    const asked = { ...json(options), file, format: options.format, place: place(options) }
    const incoming = await readIncoming(asked)
    await withHost(options, (host) => ingest(asked, incoming, host, stop.signal))
  })

addRecall(making)
addLooking(making)

addCorrections(making)
addLogCommands(making)
addGenerationCommands(making)
addParkedCommands(making)

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
