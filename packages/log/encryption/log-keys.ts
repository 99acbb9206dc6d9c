/**
 * The keys of an encrypted log, decrypted in memory. A key-encryption key encrypts the one key of the log; that one
 * encrypts the data keys, one for each space, and makes the names that stand for text in look-ups. So a key management
 * service is asked once by a process, and a space is forgotten by destroying its data keys.
 */
import { createSecretKey, hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { LoomlogError } from '@loomlog/errors'
import type { Sealing } from '../port.ts'
import { addedBytes, decrypted, encrypted } from './aes-gcm.ts'
import { decryptLogKey, encryptedLogKey, type KeyEncryption, keyBytes } from './key-encryption.ts'
import type { KeyStore, StoredKey } from './key-store.ts'

interface DataKey {
  readonly id: string
  readonly secret: KeyObject
  readonly scope: string
  /** The scope in bytes. */
  readonly context: Uint8Array
}

/** Sealed bytes begin with this byte and the id of their key. */
const mark = 0x01
const idBytes = 12
const headBytes = 1 + idBytes
const sealedBytes = headBytes + addedBytes

/** 128 bits and more. */
const nameChars = 22
/** Decrypted keys in memory. Beyond this, the cache is cleared. */
const maxKnown = 16_384
/**
 * A process seals this often with one data key of the log, which seals the state of all spaces. Random nonces allow 2³²
 * for a key: those of some hundred processes and restarts.
 */
const maxSeals = 2 ** 24
/**
 * A process notices within this time that another has rotated or destroyed a key. A forgetting waits for longer between
 * its steps.
 */
const maxKeyAgeMs = 500

export class LogKeys implements Omit<Sealing, 'outdated'> {
  readonly #store: KeyStore
  readonly #logKey: Uint8Array
  readonly #dataKeyKey: KeyObject
  readonly #innerNameKey: string
  readonly #outerNameKey: string
  readonly #newest = new Map<string, DataKey>()
  readonly #byId = new Map<string, DataKey>()
  readonly #most: number
  /** By this process, with the newest data key of the log. */
  #sealsOfLog = 0
  /** By a clock that never goes back. */
  #refreshedAt = performance.now()
  #refreshing: Promise<void> | null = null

  /** Opens the keys of an encrypted log. @throws LoomlogError `key-unavailable` */
  static async open(store: KeyStore, by: KeyEncryption | null, most = maxSeals): Promise<LogKeys | null> {
    await store.refresh()
    const stored = store.logKey()
    return stored === null ? null : new LogKeys(store, await decryptLogKey(by, stored), most)
  }

  /** Makes the key of a new log. Another process may have been first: then its key counts. */
  static async create(store: KeyStore, by: KeyEncryption): Promise<void> {
    await store.createLogKey(await encryptedLogKey(by, randomBytes(keyBytes)))
  }

  private constructor(store: KeyStore, logKey: Uint8Array, most: number) {
    this.#store = store
    this.#most = most
    this.#logKey = logKey
    this.#dataKeyKey = derived(logKey, 'data keys')
    this.#innerNameKey = derived(logKey, 'names, inner').export().toString('hex')
    this.#outerNameKey = derived(logKey, 'names, outer').export().toString('hex')
  }

  async ready(scopes: readonly (string | null)[]): Promise<void> {
    if (performance.now() - this.#refreshedAt > maxKeyAgeMs) await this.#refresh()
    const missing = new Set(scopes.map((scope) => scope ?? '').filter((scope) => this.#newestOf(scope) === null))
    if (this.#sealsOfLog >= this.#most) missing.add('')
    if (missing.size === 0) return
    if (missing.has('')) this.#sealsOfLog = 0
    await this.#store.add([...missing].map((scope) => this.#newKey(scope)))
    this.#newest.delete('')
  }

  seal(scope: string | null, plain: Uint8Array): Buffer {
    const key = this.#newestOf(scope ?? '')
    if (key === null) throw new Error(`there is no key of ${scope ?? 'the log'} yet: call ready first`)
    if (scope === null) this.#sealsOfLog += 1
    const head = Buffer.allocUnsafe(headBytes)
    head[0] = mark
    head.write(key.id, 1, 'base64url')
    return encrypted(key.secret, plain, key.context, head)
  }

  open(scope: string | null, sealed: Uint8Array): Buffer | null {
    const { id, body } = partsOf(sealed)
    const key = this.#keyById(id)
    if (key === null)
      throw new LoomlogError('key-unavailable', `the data key ${id} of ${scope ?? 'the log'} is not in the log's keys`)
    if (key === 'destroyed') return null
    try {
      return decrypted(key.secret, body, key.scope === (scope ?? '') ? key.context : Buffer.from(scope ?? ''))
    } catch (cause) {
      const place = scope === null ? 'of the log' : `of ${scope}`
      throw new LoomlogError('input-invalid', `sealed bytes ${place} are damaged, or were moved there: key ${id}`, {
        cause,
      })
    }
  }

  /**
   * NMAC with SHA-256: HMAC with a key of its own for either hash. Each key fills a block. `createHmac` takes four
   * times as long for a short text.
   */
  name(text: string): string {
    const inner = hash('sha256', this.#innerNameKey + text, 'hex')
    return hash('sha256', this.#outerNameKey + inner, 'base64url').slice(0, nameChars)
  }

  async rotate(scope: string): Promise<void> {
    await this.#refresh()
    await this.#store.add([this.#newKey(scope)])
    this.#clear()
  }

  async destroyRetired(scope: string): Promise<number> {
    await this.#refresh()
    const retired = this.#store.ofScope(scope).slice(0, -1)
    await this.#store.destroy(retired.map(({ id }) => id))
    this.#clear()
    return retired.length
  }

  isNewest(scope: string | null, sealed: Uint8Array): boolean {
    return this.#newestOf(scope ?? '')?.id === partsOf(sealed).id
  }

  /**
   * Encrypts the log's key by another key-encryption key. The data keys and all sealed bytes stay as they are.
   * @throws LoomlogError `key-unavailable`: the other key can't decrypt it again, and nothing was changed
   */
  async encryptLogKeyBy(next: KeyEncryption): Promise<void> {
    await this.#store.replaceLogKey(await encryptedLogKey(next, this.#logKey))
  }

  /** Reads the keys of other processes if these bytes need one of them; null: they don't. */
  refreshFor(sealed: Uint8Array): Promise<void> | null {
    return this.#keyById(partsOf(sealed).id) === null ? this.#refresh() : null
  }

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshNow().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  async #refreshNow(): Promise<void> {
    const startedAt = performance.now()
    if (await this.#store.refresh()) this.#clear()
    this.#refreshedAt = startedAt
  }

  #clear(): void {
    this.#newest.clear()
    this.#byId.clear()
  }

  #newKey(scope: string): StoredKey {
    const id = randomBytes(idBytes).toString('base64url')
    return { id, scope, encrypted: encrypted(this.#dataKeyKey, randomBytes(keyBytes), contextOf(id, scope)) }
  }

  #newestOf(scope: string): DataKey | null {
    const known = this.#newest.get(scope)
    if (known !== undefined) return known
    const stored = this.#store.ofScope(scope).at(-1)
    return stored === undefined ? null : this.#remember(this.#newest, scope, stored)
  }

  #keyById(id: string): DataKey | 'destroyed' | null {
    const known = this.#byId.get(id)
    if (known !== undefined) return known
    const stored = this.#store.byId(id)
    if (stored === null) return null
    return stored.encrypted === null ? 'destroyed' : this.#remember(this.#byId, id, stored)
  }

  /** @throws LoomlogError `key-unavailable`: the stored key is damaged, which concerns its space alone */
  #remember(cache: Map<string, DataKey>, at: string, { id, scope, encrypted: bytes }: StoredKey): DataKey {
    if (cache.size >= maxKnown) cache.clear()
    try {
      const secret = createSecretKey(decrypted(this.#dataKeyKey, bytes ?? new Uint8Array(), contextOf(id, scope)))
      const key = { id, secret, scope, context: Buffer.from(scope) }
      cache.set(at, key)
      return key
    } catch (cause) {
      throw new LoomlogError('key-unavailable', `the data key ${id} of ${scope || 'the log'} is damaged`, { cause })
    }
  }
}

/** @throws LoomlogError `input-invalid` */
function partsOf(sealed: Uint8Array): { readonly id: string; readonly body: Uint8Array } {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  if (bytes[0] !== mark || bytes.length < sealedBytes)
    throw new LoomlogError('input-invalid', 'the bytes are not sealed, and the log is encrypted')
  return { id: bytes.toString('base64url', 1, headBytes), body: bytes.subarray(headBytes) }
}

function derived(key: Uint8Array, use: string): KeyObject {
  return createSecretKey(new Uint8Array(hkdfSync('sha256', key, '', `loomlog ${use}`, keyBytes)))
}

function contextOf(id: string, scope: string): Uint8Array {
  return Buffer.from(`${id} ${scope}`)
}
