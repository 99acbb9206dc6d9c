/**
 * AES-256-GCM as one value: a random nonce of 12 bytes, the encrypted bytes, a tag of 16 bytes. The context is
 * authenticated with them: bytes that are moved to another context can't be decrypted.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** The bytes that encryption adds. */
export const addedBytes = nonceBytes + tagBytes

/** Nonces in stock: a call for each would take as long as the encryption. */
const stock = Buffer.alloc(nonceBytes * 1_024)
let used = stock.length

const none = new Uint8Array()

/**
 * @param key an object, since `node:crypto` takes as long to look at bytes as to encrypt a record
 * @param head plain bytes before the others
 */
export function encrypted(key: KeyObject, plain: Uint8Array, context: Uint8Array, head: Uint8Array = none): Buffer {
  const nonce = nextNonce()
  const cipher = createCipheriv(algorithm, key, nonce)
  cipher.setAAD(context)
  const body = cipher.update(plain)
  // GCM has no last block.
  cipher.final()
  return Buffer.concat([head, nonce, body, cipher.getAuthTag()])
}

/** @throws for bytes of another key or context, and for changed ones */
export function decrypted(key: KeyObject, bytes: Uint8Array, context: Uint8Array): Buffer {
  if (bytes.length < addedBytes) throw new Error(`${bytes.length} bytes are too few`)
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
  decipher.setAAD(context)
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes))
  const body = decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes))
  decipher.final()
  return body
}

function nextNonce(): Buffer {
  if (used === stock.length) {
    randomFillSync(stock)
    used = 0
  }
  used += nonceBytes
  return stock.subarray(used - nonceBytes, used)
}
