/**
 * `loomlog backup FOLDER` and `loomlog restore FOLDER`: the embedded log as one file, checked record by record, and the
 * file with the webhook key. The log is copied first: a key without its webhooks does no harm, a webhook without its
 * key can't be signed.
 */
import { LoomlogError } from '@loomlog/errors'
import { copyWebhookKey } from '@loomlog/feed/webhook-key-copy'
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
  const hasWebhookKey = copyWebhookKey(config.dir, folder)
  if (json) return printJson({ ...check, hasWebhookKey })
  print(`backed up to ${folder}: ${summary(check)}`)
  for (const damage of check.damage) print(damage)
  const holds = hasWebhookKey ? 'every conversation and the key that signs webhooks' : 'every conversation'
  print(`the backup holds ${holds}: keep it as a secret`)
  if (config.webhooks.key !== null) print('LOOMLOG_WEBHOOK_KEY is not in it: save it too')
}

export async function restore({ folder, json }: BackupOptions, config: Config): Promise<void> {
  requireEmbedded(config)
  const restored = await restoreLog(folder, config.dir)
  const hasWebhookKey = copyWebhookKey(folder, config.dir)
  if (json) return printJson({ ...restored, hasWebhookKey })
  print(`restored to ${config.dir}: ${summary(restored)}`)
  if (restored.former !== null) print(`the former log is ${restored.former}: delete it when you no longer need it`)
  if (hasWebhookKey) print('the key that signs webhooks is back too')
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
