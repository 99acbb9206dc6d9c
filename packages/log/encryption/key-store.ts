/** The store of a log's encrypted keys, beside its records: each adapter of the Log port has one. */

/** The key of the log, encrypted by a key-encryption key. */
export interface StoredLogKey {
  readonly encryptedBy: string
  readonly encrypted: Uint8Array
}

/** A data key, encrypted by the key of the log. */
export interface StoredKey {
  /** Random, 16 characters. */
  readonly id: string
  /** `tenant/space`; '': for what belongs to no space. */
  readonly scope: string
  /** Null: it was destroyed. Its place is kept, so that a lost key isn't taken for a destroyed one. */
  readonly encrypted: Uint8Array | null
}

/**
 * Two processes may each add the first key of a space: both stay, and either decrypts its records. Reads see what the
 * last `refresh` found, and what this process wrote.
 */
export interface KeyStore {
  /** Null: the log is not encrypted. */
  logKey(): StoredLogKey | null
  /** Stores the first key of the log, and returns the one that was first, which may be another process's. */
  createLogKey(key: StoredLogKey): Promise<StoredLogKey>
  /** The same key, encrypted by another key-encryption key. */
  replaceLogKey(key: StoredLogKey): Promise<void>
  /** Reads what other processes changed. Returns whether there was anything. */
  refresh(): Promise<boolean>
  byId(id: string): StoredKey | null
  /** Of a scope, without the destroyed ones, the newest last. */
  ofScope(scope: string): readonly StoredKey[]
  add(keys: readonly StoredKey[]): Promise<void>
  /** The bytes of the keys are gone when this returns; on Kafka, once the topic is compacted. */
  destroy(ids: readonly string[]): Promise<void>
}

/** An adapter's key store, beside its log. */
export interface WithKeys {
  readonly keys: KeyStore
}
