/** Passed to each file that adds commands: it creates a command with the common options, and opens the log for it. */
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import type { Command } from 'commander'
import type { CommonOptions, PlaceOptions } from './options.ts'

export interface CommandFrame {
  readonly program: Command
  /** Adds a command with the common options. */
  command(usage: string, description: string, parent?: Command): Command
  inSpace(made: Command): Command
  /** Opens the log, which must exist, and closes it in any case. */
  withLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void>
  place(options: PlaceOptions): SpaceAddress
  /** Ctrl-C. */
  readonly signal: AbortSignal
}
