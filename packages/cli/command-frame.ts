/** How the command line's words are made, and what they work on: handed to the files that add some of them. */
import type { Host } from '@loomlog/host/open'
import type { Place } from '@loomlog/intake/utterance'
import type { Command } from 'commander'
import type { CommonOptions, PlaceOptions } from './options.ts'

export interface Making {
  readonly program: Command
  /** Every command takes the common options. */
  command(usage: string, description: string, parent?: Command): Command
  inSpace(made: Command): Command
  /** Opens the log that must be there, and closes it whatever happens. */
  withLog(options: CommonOptions, work: (host: Host) => Promise<void>): Promise<void>
  place(options: PlaceOptions): Place
  /** Ctrl-C. */
  readonly signal: AbortSignal
}
