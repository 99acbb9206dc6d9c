/**
 * Secrets of webhooks, by Standard Webhooks: `whsec_` and 32 bytes in base64. A secret is derived from the deployment's
 * webhook key and the id of the webhook, so no record holds one. It is shown once, when the webhook is created.
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
/** In the folder of the log. */
export const webhookKeyFile = 'webhook-key'
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
  const file = join(dir, webhookKeyFile)
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
  const made = join(dir, `${webhookKeyFile}.${randomUUID()}`)
  try {
    writeFileSync(made, `${randomBytes(keyBytes).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(made, join(dir, webhookKeyFile))
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

/** The secret of a webhook; null: the key is missing, or the webhook was made with another one. */
export function openedSecret(
  key: string | null,
  { id, secretHash: expected }: { readonly id: string; readonly secretHash: string },
): string | null {
  const secret = key === null ? null : secretOf(key, id)
  return secret !== null && secretHash(secret) === expected ? secret : null
}

/** Why the secret of a webhook can't be opened with this key, and what helps. */
export function keyFault(key: string | null): string {
  const fault = key === null ? 'the webhook key is missing' : 'the webhook key is not the one of its creation'
  return `${fault}: put the file ${webhookKeyFile} back into the log's folder, or set LOOMLOG_WEBHOOK_KEY; events wait until then`
}

/** The header `webhook-signature` of a message. */
export function signatureOf(secret: string, id: string, timestampS: number, body: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`
}
