/** What a command works with: the environment, and the folder that it was given. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { type Config, configFrom } from '@loomlog/host/config'
import type { CommonOptions } from './options.ts'

export function configOf(options: CommonOptions): Config {
  return configFrom(options.dir === undefined ? process.env : { ...process.env, LOOMLOG_DIR: options.dir })
}

/** Looking at a log that isn't there is a mistake, and makes none. @throws LoomlogError `not-found` */
export function checkIsThere({ log, dir }: Config): void {
  if (log.kind !== 'sqlite' || existsSync(join(dir, 'log.db'))) return
  throw new LoomlogError('not-found', `there is no log in ${dir}: loomlog ingest and loomlog up make one`)
}
