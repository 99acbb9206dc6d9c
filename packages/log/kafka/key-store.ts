/**
 * The encrypted keys of a log, in a compacted topic beside its own. A destroyed key's record is replaced at once, and
 * its bytes are gone once the topic is compacted: within minutes, by the settings of the topic.
 */
import { randomUUID } from 'node:crypto'
import type { KeyStore, StoredKey, StoredLogKey } from '../encryption/key-store.ts'
import type { Appender } from './append.ts'
import type { Connect } from './driver.ts'
import type { KafkaNames } from './names.ts'
import { TopicReader } from './topic-reader.ts'
import type { KafkaTopics } from './topics.ts'

/** Before the id of a key of the log. Two processes may make the first key at once: the lower offset counts. */
const logKeyPrefix = '#log:'
/** Keeps the newest segment from being the one that holds a destroyed key. */
const lastWriteName = '#last-write'

interface KeyRecord {
  readonly scope: string
  readonly encrypted: string | null
}

interface LogKeyRecord {
  readonly encryptedBy: string
  readonly encrypted: string
}

interface Parts {
  readonly connect: Connect
  readonly names: KafkaNames
  readonly topics: KafkaTopics
  readonly appender: Appender
}

export class KafkaKeys implements KeyStore {
  readonly #parts: Parts
  readonly #kafkaTopic: string
  readonly #keys = new Map<string, StoredKey>()
  readonly #scopes = new Map<string, string[]>()
  /** By record key, the first one first. */
  readonly #logKeys = new Map<string, StoredLogKey>()
  #reader: TopicReader | null = null
  #next = 0
  #lastRefresh: Promise<unknown> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#kafkaTopic = parts.names.keys()
  }

  logKey(): StoredLogKey | null {
    return [...this.#logKeys.values()][0] ?? null
  }

  async createLogKey(key: StoredLogKey): Promise<StoredLogKey> {
    await this.#parts.topics.createKeys()
    await this.refresh()
    if (this.logKey() === null) await this.#write(new Map([[`${logKeyPrefix}${randomUUID()}`, logKeyRecord(key)]]))
    return this.logKey() ?? key
  }

  async replaceLogKey(key: StoredLogKey): Promise<void> {
    const [first = `${logKeyPrefix}${randomUUID()}`, ...later] = this.#logKeys.keys()
    // Compaction moves the first one behind the others.
    if (later.length > 0) await this.#write(new Map(later.map((name) => [name, null])))
    await this.#write(new Map([[first, logKeyRecord(key)]]))
  }

  /** One at a time: each reads on from the last. */
  refresh(): Promise<boolean> {
    const refreshed = this.#lastRefresh.then(() => this.#readOn())
    this.#lastRefresh = refreshed.catch(() => {})
    return refreshed
  }

  byId(id: string): StoredKey | null {
    return this.#keys.get(id) ?? null
  }

  ofScope(scope: string): readonly StoredKey[] {
    const keys = (this.#scopes.get(scope) ?? []).flatMap((id) => this.#keys.get(id) ?? [])
    return keys.filter(({ encrypted }) => encrypted !== null)
  }

  add(keys: readonly StoredKey[]): Promise<void> {
    return this.#write(new Map(keys.map(({ id, scope, encrypted }) => [id, { scope, encrypted: base64(encrypted) }])))
  }

  async destroy(ids: readonly string[]): Promise<void> {
    const destroyed = ids.map((id) => [id, { scope: this.#keys.get(id)?.scope ?? '', encrypted: null }] as const)
    await this.#write(new Map(destroyed))
    await this.#write(new Map([[lastWriteName, { at: Date.now() }]]))
  }

  async close(): Promise<void> {
    await this.#reader?.close()
  }

  async #write(records: ReadonlyMap<string, object | null>): Promise<void> {
    const timestamp = Date.now()
    await this.#parts.appender.append(
      this.#kafkaTopic,
      [...records].map(([key, value]) => ({
        kafkaTopic: this.#kafkaTopic,
        partition: 0,
        key,
        value: value === null ? null : Buffer.from(JSON.stringify(value)),
        timestamp,
      })),
    )
    await this.refresh()
  }

  async #readOn(): Promise<boolean> {
    this.#reader ??= await this.#opened()
    if (this.#reader === null) return false
    const [end = 0] = await this.#reader.endOffsets()
    const before = this.#next
    while (this.#next < end) {
      for (const { records, next } of await this.#reader.fetch(new Map([[0, this.#next]]), 1_000)) {
        for (const { key, value } of records) if (key !== null) this.#note(key, value)
        this.#next = next
      }
    }
    return this.#next > before
  }

  async #opened(): Promise<TopicReader | null> {
    if (!(await this.#parts.topics.hasKeys())) return null
    return TopicReader.open(this.#parts.connect, this.#kafkaTopic, this.#kafkaTopic)
  }

  #note(key: string, value: Uint8Array | null): void {
    if (key === lastWriteName) return
    if (value === null) {
      this.#logKeys.delete(key)
      return
    }
    const record: unknown = JSON.parse(Buffer.from(value).toString('utf8'))
    if (key.startsWith(logKeyPrefix)) {
      const { encryptedBy, encrypted } = record as LogKeyRecord
      this.#logKeys.set(key, { encryptedBy, encrypted: Buffer.from(encrypted, 'base64') })
      return
    }
    const { scope, encrypted } = record as KeyRecord
    if (!this.#keys.has(key)) this.#scopes.set(scope, [...(this.#scopes.get(scope) ?? []), key])
    this.#keys.set(key, { id: key, scope, encrypted: encrypted === null ? null : Buffer.from(encrypted, 'base64') })
  }
}

function logKeyRecord({ encryptedBy, encrypted }: StoredLogKey): LogKeyRecord {
  return { encryptedBy, encrypted: Buffer.from(encrypted).toString('base64') }
}

function base64(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('base64')
}
