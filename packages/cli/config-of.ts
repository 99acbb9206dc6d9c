/** What a command works with: the environment, and the folder that it was given. */
import { type Config, configFrom } from '@loomlog/host/config'
import type { CommonOptions } from './options.ts'

export function configOf(options: CommonOptions): Config {
  return configFrom(options.dir === undefined ? process.env : { ...process.env, LOOMLOG_DIR: options.dir })
}
