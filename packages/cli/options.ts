/** Options that every command has, and those of commands that read or write one space. */
import type { Output } from './print.ts'

export interface CommonOptions {
  readonly dir?: string
  readonly json?: true
}

/** Options of commands that work on a server instead of a log, if it is named. */
export interface ServerOptions extends CommonOptions {
  readonly url?: string
  readonly key?: string
}

export interface SpaceOptions extends ServerOptions {
  readonly tenant: string
  readonly space: string
}

export function json(options: CommonOptions): Output {
  return { json: options.json === true }
}
