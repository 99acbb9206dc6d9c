/**
 * The key-encryption key: it encrypts the one key of a log, and nothing else. Its port has the shape of a key
 * management service such as AWS KMS: the key itself stays there. `localKey` is a key of 32 bytes in this process, from
 * a file or the environment.
 */
import { createHash, createSecretKey } from 'node:crypto'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { decrypted, encrypted } from './aes-gcm.ts'

export interface KeyEncryption {
  /** Names the key in messages, and in the log: a fingerprint, or the ARN of a service's key. No secret. */
  readonly id: string
  encrypt(plain: Uint8Array): Promise<Uint8Array>
  /** @throws for bytes that another key encrypted, or that were changed */
  decrypt(encrypted: Uint8Array): Promise<Uint8Array>
}

export const keyBytes = 32

/** @param bytes 32 of them */
export function localKey(bytes: Uint8Array): KeyEncryption {
  const key = createSecretKey(bytes)
  const id = `local:${createHash('sha256').update('loomlog key').update(bytes).digest('hex').slice(0, 16)}`
  const context = Buffer.from(id)
  return {
    id,
    encrypt: async (plain) => encrypted(key, plain, context),
    decrypt: async (sealed) => decrypted(key, sealed, context),
  }
}

/** Decrypts the log's key. @throws LoomlogError `key-unavailable` that names both keys */
export async function decryptLogKey(
  by: KeyEncryption | null,
  stored: { readonly encryptedBy: string; readonly encrypted: Uint8Array },
): Promise<Uint8Array> {
  const needed = `the log is encrypted, and its key is encrypted by ${stored.encryptedBy}`
  if (by === null) throw new LoomlogError('key-unavailable', `${needed}: give that key (LOOMLOG_ENCRYPTION_KEY_FILE)`)
  if (by.id !== stored.encryptedBy) throw new LoomlogError('key-unavailable', `${needed}, not by ${by.id}`)
  try {
    return await by.decrypt(stored.encrypted)
  } catch (cause) {
    if (isLoomlogError(cause)) throw cause
    throw new LoomlogError('key-unavailable', `${needed}, which could not decrypt it: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/**
 * Encrypts the log's key, and tries whether it can be decrypted again: a service may allow the one and not the other.
 * @throws LoomlogError `key-unavailable`
 */
export async function encryptedLogKey(by: KeyEncryption, logKey: Uint8Array) {
  const stored = { encryptedBy: by.id, encrypted: await by.encrypt(logKey) }
  if (Buffer.compare(await decryptLogKey(by, stored), logKey) === 0) return stored
  throw new LoomlogError('key-unavailable', `${by.id} decrypts other bytes than it encrypted`)
}
