/**
 * The classes of `mem0ai/oss` and `mem0ai` on a space of the memory: a program of mem0 changes its import. A memory is
 * a message as it was written. Facts and events that are derived from it decide with which others it is found.
 */
import type { Fields, Item, Json, OwnerOptions } from './mem0-items.ts'
import type { Message } from './mem0-messages.ts'
import {
  type AddOptions,
  addFields,
  countIn,
  Mem0Operations,
  type ReadOptions,
  searchFields,
  type UpdateOptions,
  updateFields,
} from './mem0-operations.ts'
import { defaultSpace, type PlaceOptions, placeFields } from './mem0-place.ts'

export { MemoryClient, MemoryClient as default } from './mem0-client.ts'

/** Further fields of mem0 are accepted. A warning names those without an effect. */
export interface MemoryConfig extends PlaceOptions {
  /** Its `config.collectionName` is the name of the space. Default: `mem0`. */
  readonly vectorStore?: { readonly config?: { readonly collectionName?: string } } | undefined
  readonly [option: string]: unknown
}

export interface MemoryItem {
  id: string
  memory: string
  createdAt?: string
  updatedAt?: string
  score?: number
  metadata?: Fields
  attributedTo?: string
  user_id?: string
  agent_id?: string
  run_id?: string
}

/** `Memory` of `mem0ai/oss`. */
export class Memory {
  readonly #mem0: Mem0Operations

  constructor({ vectorStore, ...config }: MemoryConfig = {}) {
    this.#mem0 = new Mem0Operations(config, vectorStore?.config?.collectionName ?? defaultSpace)
    const store = vectorStore && { 'vectorStore (except collectionName)': vectorStore }
    this.#mem0.warnOfUnused({ ...config, ...store }, placeFields)
  }

  static fromConfig(config: MemoryConfig): Memory {
    return new Memory(config)
  }

  async add(messages: string | Message[], options: AddOptions): Promise<{ results: MemoryItem[] }> {
    this.#mem0.warnOfUnused(options, addFields)
    const added = await this.#mem0.add(messages, options)
    return { results: added.map(({ id, text }) => ({ id, memory: text, metadata: { event: 'ADD' } })) }
  }

  async search(query: string, options: ReadOptions & { topK?: number }): Promise<{ results: MemoryItem[] }> {
    this.#mem0.warnOfUnused(options, searchFields)
    const found = await this.#mem0.search(query, options)
    return { results: found.map((version) => ({ ...itemOf(version), score: version.score })) }
  }

  async getAll(options: ReadOptions & { topK?: number }): Promise<{ results: MemoryItem[] }> {
    this.#mem0.warnOfUnused(options, searchFields)
    const count = countIn(options.topK)
    return { results: (await this.#mem0.getAll(options)).slice(0, count).map(itemOf) }
  }

  async get(memoryId: string): Promise<MemoryItem | null> {
    const version = await this.#mem0.get(memoryId)
    return version && itemOf(version)
  }

  async update(memoryId: string, options: string | (UpdateOptions & { data?: string })): Promise<{ message: string }> {
    const { data, ...given } = typeof options === 'string' ? { text: options, data: undefined } : options
    this.#mem0.warnOfUnused(given, updateFields)
    await this.#mem0.update(memoryId, { ...given, text: given.text ?? data })
    return { message: 'Memory updated successfully!' }
  }

  async delete(memoryId: string): Promise<{ message: string }> {
    await this.#mem0.delete(memoryId)
    return { message: 'Memory deleted successfully!' }
  }

  async deleteAll(owner: OwnerOptions): Promise<{ message: string }> {
    await this.#mem0.deleteAll(owner)
    return { message: 'Memories deleted successfully!' }
  }

  /** The newest first. */
  async history(memoryId: string): Promise<Json[]> {
    const records = await this.#mem0.history(memoryId)
    return records.toReversed().map(({ id, action, before, after, version, at }) => ({
      id,
      memory_id: memoryId,
      previous_value: before,
      new_value: after,
      action,
      created_at: isoOf(version.createdAt),
      updated_at: action === 'ADD' ? null : isoOf(at),
      is_deleted: action === 'DELETE' ? 1 : 0,
    }))
  }

  async reset(): Promise<void> {
    await this.#mem0.reset()
  }
}

function itemOf({ id, text, owner, metadata, attributedTo, createdAt, updatedAt, expirationDate }: Item): MemoryItem {
  return {
    id,
    memory: text,
    createdAt: isoOf(createdAt),
    ...(updatedAt !== undefined && { updatedAt: isoOf(updatedAt) }),
    metadata: { ...metadata, ...(expirationDate !== undefined && { expiration_date: expirationDate }) },
    ...owner,
    attributedTo,
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
