#!/usr/bin/env node
/**
 * `loomlog`, the command line. Exit codes: 0 success, also of `up` after SIGTERM; 1 failed, try again; 2 the command or
 * a setting is wrong; 130 stopped with Ctrl-C.
 *
 * The code of a command is loaded after its arguments are parsed, so that help and refusals take no time.
 */
import module from 'node:module'
import type { ImportingMemory } from '@loomlog/client/importing-memory'
import type { LoomlogClient } from '@loomlog/client/loomlog-client'
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { isOutOfFiles, outOfFiles } from '@loomlog/errors/out-of-files'
import type { Host } from '@loomlog/host/open'
import { makePrivateFiles } from '@loomlog/host/private-files'
import { version } from '@loomlog/host/version'
import { checkedAddress, type SpaceAddress } from '@loomlog/intake/utterance'
import { Command } from 'commander'
import { checkLogExists, configOf } from './command-config.ts'
import type { CommandFrame } from './command-frame.ts'
import { addCompletionCommand } from './completion-command.ts'
import { addCorrectionCommands } from './correction-commands.ts'
import { defaultSpace } from './default-space.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addEncryptionCommands } from './encryption-commands.ts'
import { addExamples } from './examples.ts'
import { addExportCommand } from './export-command.ts'
import { addForgetCommands } from './forget-commands.ts'
import { addGenerationCommands } from './generation-commands.ts'
import { addIngestCommand } from './ingest-command.ts'
import { addKeysCommands } from './keys-commands.ts'
import { addLogCommands } from './log-commands.ts'
import { addMcpCommand } from './mcp-command.ts'
import { portNumber } from './number-options.ts'
import { type CommonOptions, defaultTenant, json, type SpaceOptions, tenantHelp } from './options.ts'
import { addParkedCommands } from './parked-commands.ts'
import { printJson, printNotice } from './print.ts'
import { addReadingCommands } from './reading-commands.ts'
import { addContextCommand, addRecallCommand } from './recall-command.ts'
import { serverOf, withServerOptions } from './server-options.ts'
import { addWebhookCommands } from './webhook-commands.ts'

// Every command is a process of its own: the next one reuses the compiled code.
module.enableCompileCache?.()

makePrivateFiles()

const stop = new AbortController()
let stoppedBy: NodeJS.Signals | null = null
const program = new Command('loomlog')
  .description('The replayable memory log for AI agents.')
  .version(version)
  .showHelpAfterError('loomlog --help lists the commands')
  .exitOverride(({ exitCode, message }) => {
    if (exitCode !== 0 && process.argv.includes('--json'))
      printJson({ error: { code: 'input-invalid', message: message.replace(/^error: /, '') } })
    process.exit(exitCode === 0 ? 0 : 2)
  })

/** Adds a command with the options that every command has. */
function command(usage: string, description: string, parent: Command = program): Command {
  const made = parent.command(usage).description(description)
  const path = parent === program ? made.name() : `${parent.name()} ${made.name()}`
  return made
    .showHelpAfterError(`loomlog ${path} --help lists the options`)
    .option('--dir <folder>', 'folder of the log and its views (default: LOOMLOG_DIR, then .loomlog)')
    .option('--json', 'print results as JSON')
}

function withSpaceOptions(made: Command): Command {
  return made.option('--tenant <name>', tenantHelp).option('--space <name>', 'space', defaultSpace)
}

const withEither: CommandFrame['withEither'] = async (options, { onServer, onLog }, work, log = 'existing') => {
  const server = serverOf(options)
  if (server !== null) return work(await onServer(server), null)
  const open = log === 'new' ? withNewLog : withLog
  await open(options, async (host) => work(await onLog(host), host))
}

const withGenerations: CommandFrame['withGenerations'] = (options, work) => {
  const operations = {
    onServer: async (server: LoomlogClient) => (await import('./server-generations.ts')).serverGenerations(server),
    onLog: async (host: Host) => (await import('@loomlog/app/generations/operations')).generationOperations(host),
  }
  return withEither(options, operations, work)
}

const withMemory: CommandFrame['withMemory'] = (options, work, log) => {
  const { tenant = defaultTenant } = options
  const onDropped = (_count: number, why: string) => printNotice(`loomlog: this recall was not recorded: ${why}`)
  const memory = {
    onServer: async (server: LoomlogClient) => (await import('@loomlog/client/server-memory')).serverMemory(server),
    onLog: async (host: Host) => (await import('@loomlog/app/log-memory')).logMemory(host, { tenant, onDropped }),
  }
  return withEither<ImportingMemory>(options, memory, (on, host) => work(on, host).finally(() => on.close()), log)
}

/** For commands that need a log to exist. */
async function withLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void> {
  checkLogExists(configOf(options))
  await withNewLog(options, work)
}

/** Opens the log, creates it if it is missing, and closes it in any case. */
async function withNewLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void> {
  const config = configOf(options)
  const { openHost } = await import('@loomlog/host/open')
  const host = await openHost(config)
  try {
    await work(host)
  } finally {
    await host.close()
  }
}

const place = ({ tenant = defaultTenant, space }: SpaceOptions): SpaceAddress => checkedAddress({ tenant, space })
const frame: CommandFrame = {
  program,
  command,
  withSpaceOptions,
  withServerOptions,
  server: serverOf,
  withEither,
  withMemory,
  withLog,
  withNewLog,
  withGenerations,
  place,
  signal: stop.signal,
}

command('init', 'create the topics and the first generation of a log, without deriving anything').action(
  (options: CommonOptions) =>
    withNewLog(options, async (host) => (await import('./commands/init.ts')).init(json(options), host)),
)

command('up', 'run the pipeline and the HTTP API in one process')
  .option('--host <address>', 'address; beyond loopback it needs keys; default LOOMLOG_HTTP_HOST, or 127.0.0.1')
  .option('--port <number>', 'port; 0 picks a free one; default LOOMLOG_HTTP_PORT, or 7070', portNumber)
  .action(async (options: CommonOptions & { host?: string; port?: number }) => {
    const { restartWithMemorySettings } = await import('@loomlog/host/memory-settings')
    restartWithMemorySettings()
    const { checkPort } = await import('@loomlog/app/server')
    const { logLevel } = await import('@loomlog/host/log-level')
    const { up } = await import('./commands/up.ts')
    const { http } = configOf(options)
    const address = { host: options.host ?? http.host, port: options.port ?? http.port }
    const level = logLevel(process.env, 'warn')
    await checkPort(address)
    await withNewLog(options, (host) => up({ ...json(options), address, level }, host, stop.signal))
    if (stoppedBy === 'SIGTERM') process.exitCode = 0
  })

program
  .command('demo')
  .description('derive the memory of a sample conversation, and ask it three questions')
  .option('--keep <folder>', 'keep the log and its views in this folder')
  .option('--json', 'print results as JSON')
  .action(async (options: { keep?: string; json?: true }) =>
    (await import('./commands/demo.ts')).demo({ ...json(options), keep: options.keep ?? null }, stop.signal),
  )

addIngestCommand(frame)
addRecallCommand(frame)
addContextCommand(frame)
addReadingCommands(frame)
addExportCommand(frame)

addCorrectionCommands(frame)
addForgetCommands(frame)
addLogCommands(frame)
addEncryptionCommands(frame)
addGenerationCommands(frame)
addKeysCommands(frame)
addParkedCommands(frame)
addWebhookCommands(frame)
addMcpCommand(frame)
addDoctorCommand(frame)
addCompletionCommand(frame)
addExamples(program)

/** The first signal lets the command finish its current work; the second ends the process. */
function onSignal(signal: NodeJS.Signals): void {
  stoppedBy ??= signal
  if (stop.signal.aborted) process.exit(130)
  stop.abort()
  process.exitCode = 130
}
process.on('SIGINT', onSignal)
process.on('SIGTERM', onSignal)

// A reader that closes the pipe early, such as `head`, is no failure; a full disk is one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  fail(error)
  process.exit()
})

try {
  await program.parseAsync()
} catch (error) {
  fail(error)
}

/** The faults of a request with their places, if the error has them; advice where a server or its key is missing. */
function messageOf(error: Error): string {
  const isUnreachable = isLoomlogError(error, 'server-unavailable') && error.cause !== undefined
  if (isUnreachable) return `${error.message}: loomlog up starts one, and --url or LOOMLOG_URL names another`
  if (isLoomlogError(error, 'unauthenticated')) return `${error.message}; a command takes it from --key or LOOMLOG_KEY`
  const faults = isLoomlogError(error) ? error.errors : undefined
  return faults?.map(({ pointer, detail }) => `${pointer} ${detail}`.trim()).join('; ') ?? error.message
}

/**
 * System errors (a full disk, a missing permission) are reported like our own; any other error is a bug, and shown with
 * its stack.
 */
function fail(thrown: unknown): void {
  const error = !isLoomlogError(thrown) && isOutOfFiles(thrown) ? outOfFiles('to do this', thrown) : thrown
  const isSystemError = error instanceof Error && 'syscall' in error
  if (!isLoomlogError(error) && !isSystemError) throw error
  const { code } = error as LoomlogError | NodeJS.ErrnoException
  const message = messageOf(error)
  if (process.argv.includes('--json')) printJson({ error: { code, message } })
  printNotice(`loomlog: ${message}`)
  if (!stop.signal.aborted) process.exitCode = isLoomlogError(error) && !error.retryable ? 2 : 1
}
