/**
 * The key-encryption key: it encrypts the one key of a log, and nothing else. Its port has the shape of a key
 * management service such as AWS KMS: the key itself stays there. `localKey` is a key of 32 bytes in this process, from
 * a file or the environment.
 */
import { createHash } from 'node:crypto'
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

/** @param key of 32 bytes */
export function localKey(key: Uint8Array): KeyEncryption {
  const id = `local:${createHash('sha256').update('loomlog key').update(key).digest('hex').slice(0, 16)}`
  return {
    id,
    encrypt: async (plain) => encrypted(key, plain, id),
    decrypt: async (bytes) => decrypted(key, bytes, id),
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
