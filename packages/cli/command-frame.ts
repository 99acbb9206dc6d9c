/** The frame that files of commands get: it creates commands with common options, and opens their log or server. */
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import type { LoomlogClient } from '@loomlog/client/loomlog-client'
import type { Memory } from '@loomlog/client/memory'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import type { Command } from 'commander'
import type { CommonOptions, ServerOptions, SpaceOptions, TenantOptions } from './options.ts'

/** @param host null: the memory is that of a server, whose own pipeline derives it */
export type MemoryWork = (memory: Memory, host: Host | null) => Promise<void>

export interface CommandFrame {
  readonly program: Command
  /** Adds a command with the common options. */
  command(usage: string, description: string, parent?: Command): Command
  withSpaceOptions(made: Command): Command
  /** Adds --url and --key. */
  withServerOptions(made: Command): Command
  /** The server that the options or the environment name; null: the command works on a log. */
  server(options: TenantOptions): LoomlogClient | null
  /** Passes the memory of the server if the options name one, with a null host; else that of the log. A missing log is an error, or made. */
  withMemory(options: TenantOptions, work: MemoryWork, log?: 'existing' | 'new'): Promise<void>
  /** Passes the operations of the server if the options name one, with a null host; else those of the log. */
  withGenerations(
    options: ServerOptions,
    work: (operations: GenerationOperations, host: Host | null) => Promise<void>,
  ): Promise<void>
  /** Opens the log, which must exist, and closes it in any case. */
  withLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void>
  /** Opens the log, creates it if it is missing, and closes it in any case. */
  withNewLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void>
  place(options: SpaceOptions): SpaceAddress
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
}
