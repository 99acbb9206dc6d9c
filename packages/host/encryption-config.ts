/**
 * The settings of encryption, and the key-encryption key that they name. An embedded log without such a setting has a
 * key of its own in its folder: it lets a space be forgotten, and backups without it can't be read; a thief of the
 * whole folder has it too.
 */
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LoomlogError } from '@loomlog/errors'
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import type { EncryptionOptions } from '@loomlog/log/encryption'
import { type KeyEncryption, keyBytes, localKey } from '@loomlog/log/key-encryption'
import { type Environment, onOrOff } from './environment.ts'
import type { LogConfig } from './log-config.ts'

export interface EncryptionConfig {
  /** Whether new logs are encrypted. Existing ones stay as they are. */
  readonly ofNewLogs: 'on' | 'off'
  /** The key-encryption key; null: an embedded log's own key file. */
  readonly key: KeySource | null
}

export type KeySource =
  | { readonly kind: 'key'; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'module'; readonly path: string }

/** In the folder of an embedded log. */
const ownKeyFile = 'encryption.key'

/** @throws LoomlogError `config-invalid` */
export function encryptionConfig(environment: Environment, log: LogConfig): EncryptionConfig {
  const key = keySource(environment)
  // Processes of several machines share no key file, so on Kafka one must be given.
  const fallback = log.kind === 'sqlite' || key !== null ? 'on' : 'off'
  const ofNewLogs = onOrOff(environment, 'LOOMLOG_ENCRYPTION', fallback)
  if (ofNewLogs === 'on' && log.kind === 'kafka' && key === null)
    throw invalidSetting(
      'LOOMLOG_ENCRYPTION',
      'on',
      'on together with LOOMLOG_ENCRYPTION_KEY_FILE, LOOMLOG_ENCRYPTION_KEY or LOOMLOG_ENCRYPTION_KMS, since the log is on Kafka',
    )
  return { ofNewLogs, key }
}

/** The last one that is set counts; two are refused. */
function keySource(environment: Environment): KeySource | null {
  const { LOOMLOG_ENCRYPTION_KEY: text, LOOMLOG_ENCRYPTION_KEY_FILE: file, LOOMLOG_ENCRYPTION_KMS: kms } = environment
  const given = [text, file, kms].filter((each) => each !== undefined && each !== '')
  if (given.length > 1)
    throw new LoomlogError(
      'config-invalid',
      'of LOOMLOG_ENCRYPTION_KEY, LOOMLOG_ENCRYPTION_KEY_FILE and LOOMLOG_ENCRYPTION_KMS only one may be set',
    )
  if (text) return { kind: 'key', bytes: keyFrom(text, 'LOOMLOG_ENCRYPTION_KEY') }
  if (file) return { kind: 'file', path: file }
  return kms ? { kind: 'module', path: kms } : null
}

/** Never shows the key. @throws LoomlogError `config-invalid` */
function keyFrom(text: string, place: string): Uint8Array {
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length === keyBytes) return bytes
  throw new LoomlogError(
    'config-invalid',
    `${place} holds ${bytes.length} bytes of base64; expected ${keyBytes}, as of: openssl rand -base64 ${keyBytes}`,
  )
}

interface LogPlace {
  readonly dir: string
  readonly log: LogConfig
}

/** Null: the log is on Kafka. */
export function embeddedDir({ dir, log }: LogPlace): string | null {
  return log.kind === 'sqlite' ? dir : null
}

export function encryptionOptions({ ofNewLogs, key }: EncryptionConfig, place: LogPlace): EncryptionOptions {
  const dir = embeddedDir(place)
  return { ofNewLogs, keyEncryption: (log) => keyEncryptionOf(key, { dir, log }) }
}

/** @throws LoomlogError `key-unavailable`, `config-invalid` */
export async function keyEncryptionOf(
  key: KeySource | null,
  { dir, log }: { readonly dir: string | null; readonly log: 'new' | 'encrypted' },
): Promise<KeyEncryption | null> {
  if (key?.kind === 'key') return localKey(key.bytes)
  if (key?.kind === 'file') return localKey(fileKey(key.path))
  if (key?.kind === 'module') return await moduleKey(key.path)
  if (dir === null) return null
  const own = join(dir, ownKeyFile)
  if (log === 'new') makeKeyFile(dir, own)
  return localKey(fileKey(own))
}

/**
 * Copies the own key of an embedded log, in a backup or a restore. Another key in the target keeps its bytes under the
 * name of the former log. Returns whether there was one.
 */
export function copyOwnKey(from: string, to: string, former: string | null): boolean {
  const [source, target] = [join(from, ownKeyFile), join(to, ownKeyFile)]
  if (!existsSync(source)) return false
  if (existsSync(target) && former !== null && !readFileSync(target).equals(readFileSync(source)))
    renameSync(target, `${former}.${ownKeyFile}`)
  copyFileSync(source, target)
  return true
}

function fileKey(path: string): Uint8Array {
  try {
    return keyFrom(readFileSync(path, 'utf8'), path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined || cause instanceof LoomlogError) throw cause
    const message = `the log is encrypted, and its key file can't be read: ${(cause as Error).message}`
    throw new LoomlogError('key-unavailable', message, { cause })
  }
}

/** Linked when it is whole, so that another process never reads half of it. The first of two processes wins. */
function makeKeyFile(dir: string, path: string): void {
  mkdirSync(dir, { recursive: true })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

/** A module that exports `keyEncryption`, such as one that calls a key management service. */
async function moduleKey(path: string): Promise<KeyEncryption> {
  const module: { readonly keyEncryption?: Partial<KeyEncryption> } = await import(pathToFileURL(resolve(path)).href)
  const { id, encrypt, decrypt } = module.keyEncryption ?? {}
  if (typeof id === 'string' && typeof encrypt === 'function' && typeof decrypt === 'function')
    return module.keyEncryption as KeyEncryption
  throw new LoomlogError(
    'config-invalid',
    `LOOMLOG_ENCRYPTION_KMS: ${path} exports no keyEncryption with id, encrypt and decrypt`,
  )
}
