/** For tests: the sealing of an encrypted log, with AES-256-GCM and keys in this process's memory. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { LoomlogError } from '@loomlog/errors'
import type { Sealer, Sealing } from './port.ts'

const idBytes = 8
const nonceBytes = 12
const tagBytes = 16

/** Seals that share these are two processes on one log. */
export interface LogKeys {
  readonly name: Uint8Array
  /** By space, the newest last; each with its id. */
  readonly ofSpace: Map<string | null, readonly { readonly id: string; readonly key: Uint8Array }[]>
}

export function newLogKeys(): LogKeys {
  return { name: randomBytes(32), ofSpace: new Map() }
}

export type TestSealing = Pick<Sealing, keyof Sealer | 'rotate' | 'destroyRetired'>

/** A process: it knows a key of another one after `refreshFor` alone. */
export function testSealing(keys: LogKeys = newLogKeys()): TestSealing {
  let known = new Map(keys.ofSpace)
  const added = (space: string | null) => {
    const key = { id: randomBytes(idBytes).toString('hex'), key: randomBytes(32) }
    keys.ofSpace.set(space, [...(keys.ofSpace.get(space) ?? []), key])
    known = new Map(keys.ofSpace)
  }
  const keyOf = (sealed: Uint8Array) => {
    const id = Buffer.from(sealed.subarray(0, idBytes)).toString('hex')
    return [...known.values()].flat().find((key) => key.id === id)
  }
  return {
    seal(space, bytes) {
      const newest = known.get(space)?.at(-1)
      if (newest === undefined) throw new Error(`${space} has no key: await ready first`)
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce).setAAD(Buffer.from(space ?? ''))
      const body = Buffer.concat([cipher.update(bytes), cipher.final()])
      return Buffer.concat([Buffer.from(newest.id, 'hex'), nonce, cipher.getAuthTag(), body])
    },
    open(space, sealed) {
      const key = keyOf(sealed)
      if (key === undefined) return null
      const [nonceEnd, tagEnd] = [idBytes + nonceBytes, idBytes + nonceBytes + tagBytes]
      const decipher = createDecipheriv('aes-256-gcm', key.key, sealed.subarray(idBytes, nonceEnd))
      decipher.setAAD(Buffer.from(space ?? '')).setAuthTag(sealed.subarray(nonceEnd, tagEnd))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()])
      } catch (cause) {
        throw new LoomlogError('input-invalid', `sealed bytes of ${space} are damaged`, { cause })
      }
    },
    refreshFor: (sealed) => {
      if (keyOf(sealed) !== undefined) return null
      return Promise.resolve().then(() => {
        known = new Map(keys.ofSpace)
      })
    },
    async ready(spaces) {
      for (const space of spaces) if (!keys.ofSpace.has(space)) added(space)
      known = new Map(keys.ofSpace)
    },
    name: (text) => createHmac('sha256', keys.name).update(text).digest().toString('base64url', 0, 16),
    rotate: async (space) => added(space),
    async destroyRetired(space) {
      const all = keys.ofSpace.get(space) ?? []
      keys.ofSpace.set(space, all.slice(-1))
      known = new Map(keys.ofSpace)
      return Math.max(0, all.length - 1)
    },
  }
}
