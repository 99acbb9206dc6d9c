/**
 * The text of an API key: `llk_<id>_<secret>`. The id is public and finds the key; the secret is 256 random bits. Only
 * a digest of the text is stored, and digests are compared in constant time. A slow password hash would add nothing:
 * such a secret can't be guessed.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const form = /^llk_([0-9a-f]{16})_[\w-]{43}$/

export interface NewKey {
  readonly id: string
  /** Shown once. */
  readonly text: string
  readonly digest: string
}

export function newKey(): NewKey {
  const id = randomBytes(8).toString('hex')
  const text = `llk_${id}_${randomBytes(32).toString('base64url')}`
  return { id, text, digest: digestOf(text) }
}

/** The id in the text of a key; null if the text has another form. */
export function keyId(text: string): string | null {
  return form.exec(text)?.[1] ?? null
}

/** @param digest the stored digest of the key with the id in the text */
export function matchesDigest(text: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(text), 'hex'), Buffer.from(digest, 'hex'))
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
