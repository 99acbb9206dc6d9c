/** The configuration of a command: the environment, with --dir. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { type Config, configFrom } from '@loomlog/host/config'
import type { CommonOptions } from './options.ts'

export function configOf(options: CommonOptions): Config {
  return configFrom(options.dir === undefined ? process.env : { ...process.env, LOOMLOG_DIR: options.dir })
}

/** Whether there may be a log: one on Kafka can only be asked. */
export function hasLog({ log, dir }: Config): boolean {
  return log.kind !== 'sqlite' || existsSync(join(dir, 'log.db'))
}

/** Reading a log that doesn't exist is a mistake, and must not create one. @throws LoomlogError `not-found` */
export function checkLogExists(config: Config): void {
  if (hasLog(config)) return
  const { dir } = config
  const ofServer = process.env.LOOMLOG_URL ? '; LOOMLOG_URL names a server, and this command works on a log' : ''
  throw new LoomlogError('not-found', `there is no log in ${dir}: loomlog ingest and loomlog up create one${ofServer}`)
}
