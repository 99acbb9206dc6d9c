/**
 * The settings of encryption, and the key-encryption key that they name. An embedded log without such a setting has a
 * key of its own in its folder: it lets a space be forgotten, and backups without it can't be read; a thief of the
 * whole folder has it too.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
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
  return {
    ofNewLogs,
    keyEncryption: async (encryptedBy) => {
      if (key !== null) return await givenKey(key)
      if (dir === null) return null
      return encryptedBy === null ? (ownKeys(dir)[0] ?? makeOwnKey(dir)).key : ownKeyOf(dir, encryptedBy)
    },
  }
}

/** @throws LoomlogError `key-unavailable`, `config-invalid` */
export async function givenKey(key: KeySource): Promise<KeyEncryption> {
  if (key.kind === 'key') return localKey(key.bytes)
  return key.kind === 'file' ? localKey(fileKey(key.path)) : await moduleKey(key.path)
}

interface OwnKey {
  readonly name: string
  readonly key: KeyEncryption
}

/** The own keys in a folder. A restore or a new own key leaves the former one there, since another log may need it. */
function ownKeys(dir: string): readonly OwnKey[] {
  if (!existsSync(dir)) return []
  const names = readdirSync(dir).filter((name) => name === ownKeyFile || name.startsWith(`${ownKeyFile}.`))
  return names.toSorted().map((name) => ({ name, key: localKey(fileKey(join(dir, name))) }))
}

/** @throws LoomlogError `key-unavailable` */
function ownKeyOf(dir: string, encryptedBy: string): KeyEncryption {
  const found = ownKeys(dir).find(({ key }) => key.id === encryptedBy)
  if (found !== undefined) return found.key
  const places = `no ${ownKeyFile} in ${dir} is that key`
  const message = `the log is encrypted, and its key is encrypted by ${encryptedBy}: ${places}, and no setting names one`
  throw new LoomlogError('key-unavailable', `${message} (LOOMLOG_ENCRYPTION_KEY_FILE)`)
}

/** Whether the key that a log needs is an own key in the folder. */
export function hasOwnKey(dir: string, encryptedBy: string): boolean {
  return ownKeys(dir).some(({ key }) => key.id === encryptedBy)
}

/** Copies the own key that a log needs, in a backup or a restore. Returns false where the folder has no such key. */
export function copyOwnKey(from: string, to: string, encryptedBy: string): boolean {
  const found = ownKeys(from).find(({ key }) => key.id === encryptedBy)
  if (found === undefined) return false
  if (!hasOwnKey(to, encryptedBy)) writeOwnKey(to, readFileSync(join(from, found.name)), encryptedBy)
  return true
}

export function makeOwnKey(dir: string): OwnKey {
  const text = `${randomBytes(keyBytes).toString('base64')}\n`
  const key = localKey(keyFrom(text, ownKeyFile))
  const name = writeOwnKey(dir, Buffer.from(text), key.id)
  return { name, key: localKey(fileKey(join(dir, name))) }
}

/**
 * Linked when it is whole and durable, so that another process never reads half of it, and a log never outlives it.
 * Beside another one, of two processes that begin a log or of an earlier log, it gets a name of its own.
 */
function writeOwnKey(dir: string, text: Uint8Array, id: string): string {
  mkdirSync(dir, { recursive: true })
  const draft = join(dir, `.${ownKeyFile}.${randomBytes(6).toString('hex')}`)
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  try {
    for (const name of [ownKeyFile, `${ownKeyFile}.${id.replace(/^local:/, '')}`]) {
      try {
        linkSync(draft, join(dir, name))
        return name
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
    return ownKeyFile
  } finally {
    rmSync(draft)
    flushFolder(dir)
  }
}

function flushFolder(dir: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(dir, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** @throws LoomlogError `key-unavailable`, `config-invalid` */
function fileKey(path: string): Uint8Array {
  try {
    return keyFrom(readFileSync(path, 'utf8'), path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined || cause instanceof LoomlogError) throw cause
    const message = `the log is encrypted, and its key file can't be read: ${(cause as Error).message}`
    throw new LoomlogError('key-unavailable', message, { cause })
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
