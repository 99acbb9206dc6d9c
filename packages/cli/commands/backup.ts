/** `loomlog backup FOLDER` and `loomlog restore FOLDER`: the embedded log as one file, checked record by record. */
import { LoomlogError } from '@loomlog/errors'
import type { Config } from '@loomlog/host/config'
import { backupLog, type LogCheck, restoreLog } from '@loomlog/log/sqlite-backup'
import { checkLogExists } from '../command-config.ts'
import { count, type Output, print, printJson } from '../print.ts'

export interface BackupOptions extends Output {
  readonly folder: string
}

/** Exits with 1 where the log has damaged records: the backup holds them as they are. */
export async function backup({ folder, json }: BackupOptions, config: Config): Promise<void> {
  requireEmbedded(config)
  checkLogExists(config)
  const check = await backupLog(config.dir, folder)
  if (check.damage.length > 0) process.exitCode = 1
  if (json) return printJson(check)
  print(`backed up to ${folder}: ${summary(check)}`)
  for (const damage of check.damage) print(damage)
}

export async function restore({ folder, json }: BackupOptions, config: Config): Promise<void> {
  requireEmbedded(config)
  const restored = await restoreLog(folder, config.dir)
  if (json) return printJson(restored)
  print(`restored to ${config.dir}: ${summary(restored)}`)
  if (restored.former !== null) print(`the former log is ${restored.former}: delete it when you no longer need it`)
  print('loomlog up, or the next ingest, rebuilds the views that were made from another log')
}

function summary({ topics, records, bytes, damage }: LogCheck): string {
  const checked = damage.length === 0 ? 'every checksum matches' : `${count(damage.length)} damaged records`
  return `${count(records)} records in ${count(topics)} topics, ${count(Math.ceil(bytes / 1_000))} kB; ${checked}`
}

function requireEmbedded({ log }: Config): void {
  if (log.kind === 'sqlite') return
  const advice = 'use the tools of the cluster, or loomlog log copy --to sqlite:FOLDER'
  throw new LoomlogError(
    'config-invalid',
    `LOOMLOG_LOG is kafka, and backup and restore copy the embedded log: ${advice}`,
  )
}
