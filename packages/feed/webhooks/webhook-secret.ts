/**
 * Secrets of webhooks, by Standard Webhooks: `whsec_` and 32 bytes in base64. A secret is derived from the deployment's
 * webhook key and the id of the webhook, so no record and no backup holds one. It is shown once, when the webhook is
 * created.
 *
 * The webhook key is LOOMLOG_WEBHOOK_KEY, or else a file of the log's folder, which is made with the first webhook. The
 * record of a webhook holds a prefix of its secret's hash, so that a process with another key is detected before it
 * signs.
 */
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'

const prefix = 'whsec_'
const fileName = 'webhook-key'
const keyBytes = 32
const hashDigits = 16

export interface WebhookKeySource {
  /** The folder of the log's local files. */
  readonly dir: string
  /** LOOMLOG_WEBHOOK_KEY; null: not set. */
  readonly webhookKey: string | null
}

/** The key as text; null: there is none yet. @throws LoomlogError `config-invalid` for an empty file */
export function webhookKey({ dir, webhookKey: configured }: WebhookKeySource): string | null {
  if (configured !== null) return configured
  const file = join(dir, fileName)
  const key = contentOf(file)
  if (key !== '') return key
  const advice = 'restore it from a backup, or delete it: webhooks that exist then need new secrets'
  throw new LoomlogError('config-invalid', `${file} is empty: expected the key of webhooks. ${advice}`)
}

/** Null: there is no such file. */
function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The key, made if there is none. Of several processes that make one, the first wins. */
export function ensureWebhookKey(source: WebhookKeySource): string {
  const known = webhookKey(source)
  if (known !== null) return known
  mkdirSync(source.dir, { recursive: true })
  makeKey(source.dir)
  return ensureWebhookKey(source)
}

/** Links a whole file to its name, so that a crash or a full disk leaves no empty key. */
function makeKey(dir: string): void {
  const made = join(dir, `${fileName}.${randomUUID()}`)
  try {
    writeFileSync(made, `${randomBytes(keyBytes).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(made, join(dir, fileName))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(made, { force: true })
  }
}

export function secretOf(key: string, webhook: string): string {
  return `${prefix}${createHmac('sha256', key).update(`webhook/${webhook}`).digest('base64')}`
}

export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, hashDigits)
}

/** The header `webhook-signature` of a message. */
export function signatureOf(secret: string, id: string, timestampS: number, body: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`
}
