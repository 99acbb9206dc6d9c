/** The frame that files of commands get: it creates commands with common options, and opens their log or server. */
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import type { ImportingMemory } from '@loomlog/client/importing-memory'
import type { LoomlogClient } from '@loomlog/client/loomlog-client'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import type { Command } from 'commander'
import type { CommonOptions, ServerOptions, SpaceOptions, TenantOptions } from './options.ts'

/** @param on the operations of a server or of a log @param host null: those of a server, whose own pipeline derives */
export type Work<T> = (on: T, host: Host | null) => Promise<void>

/** Both implementations of some operations. */
export interface Operations<T> {
  onServer(server: LoomlogClient): Promise<T>
  onLog(host: Host): Promise<T>
}

export interface CommandFrame {
  readonly program: Command
  /** Adds a command with the common options. */
  command(usage: string, description: string, parent?: Command): Command
  withSpaceOptions(made: Command): Command
  /** Adds --url and --key. */
  withServerOptions(made: Command): Command
  /** The server that the options or the environment name; null: the command works on a log. */
  server(options: TenantOptions): LoomlogClient | null
  /** Runs the work on the server if the options name one, else on the log. A missing log is an error, or made. */
  withEither<T>(
    options: TenantOptions,
    operations: Operations<T>,
    work: Work<T>,
    log?: 'existing' | 'new',
  ): Promise<void>
  withMemory(options: TenantOptions, work: Work<ImportingMemory>, log?: 'existing' | 'new'): Promise<void>
  withGenerations(options: ServerOptions, work: Work<GenerationOperations>): Promise<void>
  /** Opens the log, which must exist, and closes it in any case. */
  withLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void>
  /** Opens the log, creates it if it is missing, and closes it in any case. */
  withNewLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void>
  place(options: SpaceOptions): SpaceAddress
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
}
