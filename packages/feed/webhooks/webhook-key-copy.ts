/**
 * Copies the file with the webhook key between folders of logs: to a backup, back, and to a copied log. Only its owner
 * reads the copy. A different key in the target is kept under another name, as the log there is.
 */
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { webhookKey, webhookKeyFile } from './webhook-secret.ts'

/** Returns whether there is a key to copy. @throws LoomlogError `config-invalid` for an empty file */
export function copyWebhookKey(from: string, into: string): boolean {
  const key = webhookKey({ dir: from, webhookKey: null })
  if (key === null) return false
  const target = join(into, webhookKeyFile)
  mkdirSync(into, { recursive: true })
  const isThere = existsSync(target)
  if (isThere && readFileSync(target, 'utf8').trim() === key) return true
  const incoming = `${target}.incoming`
  rmSync(incoming, { force: true })
  writeFileSync(incoming, `${key}\n`, { flag: 'wx', mode: 0o600, flush: true })
  if (isThere) linkSync(target, freeName(target))
  renameSync(incoming, target)
  return true
}

function freeName(file: string): string {
  for (let n = 1; ; n += 1) if (!existsSync(`${file}.former-${n}`)) return `${file}.former-${n}`
}
