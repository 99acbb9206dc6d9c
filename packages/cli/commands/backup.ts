/**
 * `loomlog backup FOLDER` and `loomlog restore FOLDER`: the embedded log as one file, checked record by record, and the
 * files with the webhook key and the log's own encryption key. The log is copied first: a key without its webhooks does
 * no harm, a webhook without its key can't be signed.
 */
import { LoomlogError } from '@loomlog/errors'
import { copyWebhookKey } from '@loomlog/feed/webhook-key-copy'
import type { Config } from '@loomlog/host/config'
import { copyOwnKey } from '@loomlog/host/encryption-config'
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
  const hasEncryptionKey = copyOwnKey(config.dir, folder, null)
  if (json) return printJson({ ...check, hasWebhookKey, hasEncryptionKey })
  print(`backed up to ${folder}: ${summary(check)}`)
  for (const damage of check.damage) print(damage)
  const holds = [
    'every conversation',
    ...(hasWebhookKey ? ['the key that signs webhooks'] : []),
    ...(hasEncryptionKey ? ["the log's encryption key"] : []),
  ]
  print(`the backup holds ${holds.join(', ')}: keep it as a secret`)
  if (config.encryption.key !== null) print('the encryption key of the settings is not in it: save it apart')
  if (config.webhooks.key !== null) print('LOOMLOG_WEBHOOK_KEY is not in it: save it too')
}

export async function restore({ folder, json }: BackupOptions, config: Config): Promise<void> {
  requireEmbedded(config)
  const restored = await restoreLog(folder, config.dir)
  const hasWebhookKey = copyWebhookKey(folder, config.dir)
  const hasEncryptionKey = copyOwnKey(folder, config.dir, restored.former)
  if (json) return printJson({ ...restored, hasWebhookKey, hasEncryptionKey })
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
