/** What every command takes, and what every command in a space does. */
import type { Output } from './print.ts'

export interface CommonOptions {
  readonly dir?: string
  readonly json?: true
}

export interface PlaceOptions extends CommonOptions {
  readonly tenant: string
  readonly space: string
}

export function json(options: CommonOptions): Output {
  return { json: options.json === true }
}
