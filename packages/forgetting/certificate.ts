/**
 * The certificate of a forgetting: the destroyed records as hashes, and a signature over the rest of the certificate as
 * canonical JSON. It stays when everything else is gone, so it names the space and the caller, and nothing that was
 * forgotten.
 */
import { createHmac, createPublicKey, hash as digest, type KeyObject, sign, verify } from 'node:crypto'
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { canonicalJson, type Json } from '@loomlog/schemas/ids'
import type { ForgettingState } from './forgettings.ts'

export interface Certificate {
  readonly type: 'loomlog-forgetting'
  readonly version: 1
  readonly id: string
  readonly tenant: string
  readonly space: string
  /** When it was asked for, and when the records were destroyed: ISO 8601. */
  readonly rewrittenAt: string
  readonly destroyedAt: string
  /** The key, the token or the rule of retention (`retention:RULE`) that asked; null: none was needed. */
  readonly principal: string | null
  /** Source events that the space keeps. */
  readonly kept: number
  /**
   * Destroyed records by type, in all topics. Those of kept source events are among them, since their copies took their
   * place, and so are the memories that were derived again.
   */
  readonly destroyed: { readonly [type: string]: number }
  /** SHA-256 of the bytes of each record of a forgotten source event, as base64url, sorted. */
  readonly hashes: readonly string[]
  /** The key of `ids`, as base64url. */
  readonly salt: string
  /** HMAC-SHA-256 of the id of each forgotten source event, as base64url, sorted. */
  readonly ids: readonly string[]
  /** Ed25519, SPKI in DER as base64url. */
  readonly publicKey: string
  readonly signature: string
}

export type UnsignedCertificate = Omit<Certificate, 'signature'>

/** @param state with a complete list, and its records destroyed */
export function certificateOf(state: ForgettingState, publicKey: string): UnsignedCertificate {
  const { id, tenant, space, list, steps } = state
  const { rewritten, destroyed } = steps
  if (rewritten === undefined || destroyed === undefined || list[0] === undefined)
    throw new Error(`forgetting ${id} is ${state.status}, and has no certificate yet`)
  return {
    type: 'loomlog-forgetting',
    version: 1,
    id,
    tenant,
    space,
    rewrittenAt: new Date(rewritten.at).toISOString(),
    destroyedAt: new Date(destroyed.at).toISOString(),
    principal: rewritten.principal,
    kept: rewritten.kept,
    destroyed: list[0].counts,
    hashes: list.flatMap(({ hashes }) => hashes).toSorted(),
    salt: list[0].salt,
    ids: list.flatMap(({ ids }) => ids).toSorted(),
    publicKey,
  }
}

/** The certificate of a forgetting that is complete; null: it isn't. */
export function signedCertificate(state: ForgettingState): Certificate | null {
  const { publicKey = null, signature = null } = state.steps.certified ?? {}
  if (publicKey === null || signature === null) return null
  return { ...certificateOf(state, publicKey), signature }
}

export function signatureOf(certificate: UnsignedCertificate, privateKey: KeyObject): string {
  return sign(null, signedBytes(certificate), privateKey).toString('base64url')
}

export function recordHash(value: Uint8Array): string {
  return digest('sha256', value, 'base64url')
}

export function saltedId(id: string, salt: string): string {
  return createHmac('sha256', Buffer.from(salt, 'base64url')).update(id).digest('base64url')
}

/** A short name of a public key, for people. */
export function fingerprint(publicKey: string): string {
  return digest('sha256', Buffer.from(publicKey, 'base64url'), 'hex').slice(0, 16)
}

/**
 * Reads a certificate and checks its signature by the key that it holds. Whether that key is to be trusted is the
 * caller's question.
 * @throws LoomlogError `input-invalid`: no certificate, or one that was changed
 */
export function checkedCertificate(text: string): Certificate {
  const { signature, ...rest } = fieldsOf(text)
  const isSigned = verifies(rest, signature)
  if (isSigned) return { ...rest, signature }
  throw new LoomlogError(
    'input-invalid',
    `the certificate of forgetting ${rest.id} was changed: its signature is wrong`,
  )
}

function verifies(certificate: UnsignedCertificate, signature: string): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.from(certificate.publicKey, 'base64url'),
      format: 'der',
      type: 'spki',
    })
    // Only the canonical text of a signature: base64url leaves bits that change nothing.
    const bytes = Buffer.from(signature, 'base64url')
    return bytes.toString('base64url') === signature && verify(null, signedBytes(certificate), key, bytes)
  } catch {
    return false
  }
}

const textFields = ['id', 'tenant', 'space', 'salt', 'publicKey', 'signature']

function fieldsOf(text: string): Certificate {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw invalidInput('the certificate', text, 'JSON')
  }
  const fields = (given !== null && typeof given === 'object' ? given : {}) as { readonly [field: string]: unknown }
  if (fields.type !== 'loomlog-forgetting' || fields.version !== 1)
    throw invalidInput('type and version', [fields.type, fields.version], 'loomlog-forgetting and 1')
  for (const name of textFields)
    if (typeof fields[name] !== 'string') throw invalidInput(name, fields[name], 'a string')
  for (const name of ['hashes', 'ids']) {
    const list = fields[name]
    if (!Array.isArray(list) || !list.every((each) => typeof each === 'string'))
      throw invalidInput(name, list, 'a list of strings')
  }
  return given as Certificate
}

function signedBytes(certificate: UnsignedCertificate): Buffer {
  return Buffer.from(canonicalJson(certificate as unknown as Json))
}
