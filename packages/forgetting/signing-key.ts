/** The key that signs certificates, a private file in the data folder: made at the first forgetting, and kept. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'

const fileName = 'forgetting-key.pem'

export interface SigningKey {
  readonly privateKey: KeyObject
  /** SPKI in DER as base64url. */
  readonly publicKey: string
}

/** Several processes may make it at once: the first one's is kept. @throws LoomlogError `config-invalid` */
export function signingKey(dir: string): SigningKey {
  return existingKey(dir) ?? madeKey(dir)
}

/** Null: the folder has none. @throws LoomlogError `config-invalid` for a file that holds no key */
export function existingKey(dir: string): SigningKey | null {
  const file = join(dir, fileName)
  const pem = readOrNull(file)
  if (pem === null) return null
  try {
    const privateKey = createPrivateKey(pem)
    const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64url')
    return { privateKey, publicKey }
  } catch (cause) {
    throw new LoomlogError('config-invalid', `${file} holds no private key: expected Ed25519 in PEM`, { cause })
  }
}

function madeKey(dir: string): SigningKey {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const draft = join(dir, `${fileName}.${process.pid}`)
  writeFileSync(draft, pem, { mode: 0o600, flush: true })
  try {
    // A link fails where the file exists, and never shows half of it.
    linkSync(draft, join(dir, fileName))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return existingKey(dir) as SigningKey
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
