/** `MemoryClient` of `mem0ai` on a space of the memory: the same memories as those of `Memory`, in other records. */
import type { Fields, Item, OwnerOptions } from './mem0-items.ts'
import type { Message } from './mem0-messages.ts'
import {
  type AddOptions,
  addFields,
  Mem0Operations,
  type ReadOptions,
  searchFields,
  type UpdateOptions,
  updateFields,
} from './mem0-operations.ts'
import { defaultSpace, type PlaceOptions, placeFields } from './mem0-place.ts'
import type { Version } from './mem0-store.ts'

/** `apiKey` and `host` are those of mem0's own service, and have no effect. */
export interface ClientOptions extends PlaceOptions {
  readonly apiKey?: string | undefined
  readonly host?: string | undefined
}

/** A memory as `mem0ai` has it. */
export interface ClientMemory {
  id: string
  memory: string
  event?: string
  data?: { memory: string }
  userId?: string
  agentId?: string | null
  appId?: string | null
  runId?: string | null
  createdAt: Date
  updatedAt: Date
  score?: number
  metadata: Fields
  expirationDate: string | null
}

const defaultPageSize = 100

/** `MemoryClient` of `mem0ai`: its memories, without projects, webhooks, exports and profiles. */
export class MemoryClient {
  readonly #mem0: Mem0Operations

  constructor(options: ClientOptions = {}) {
    this.#mem0 = new Mem0Operations(options, defaultSpace)
    this.#mem0.warnOfUnused(options, placeFields)
  }

  async ping(): Promise<void> {
    await this.#mem0.items()
  }

  async add(messages: Message[], options: AddOptions & Fields = {}): Promise<ClientMemory[]> {
    this.#mem0.warnOfUnused(options, addFields)
    const added = await this.#mem0.add(messages, options)
    return added.map((memory) => ({ ...clientMemoryOf(memory), event: 'ADD', data: { memory: memory.text } }))
  }

  async search(query: string, options: ReadOptions & Fields = {}): Promise<{ results: ClientMemory[] }> {
    this.#mem0.warnOfUnused(options, searchFields)
    const found = await this.#mem0.search(query, options)
    return { results: found.map((version) => ({ ...clientMemoryOf(version), score: version.score })) }
  }

  async getAll(options: ReadOptions & Fields = {}) {
    const { page = 1, pageSize = defaultPageSize } = options as { readonly page?: number; readonly pageSize?: number }
    if (!Number.isInteger(page) || page < 1) throw new Error(`Invalid page: ${page}. Must be an integer from 1`)
    if (!Number.isInteger(pageSize) || pageSize < 1)
      throw new Error(`Invalid pageSize: ${pageSize}. Must be an integer from 1`)
    this.#mem0.warnOfUnused(options, ['filters', 'showExpired', 'page', 'pageSize'])
    const all = await this.#mem0.getAll(options)
    const results = all.slice((page - 1) * pageSize, page * pageSize).map(clientMemoryOf)
    const pageAt = (number: number) => `?page=${number}&page_size=${pageSize}`
    return {
      count: all.length,
      next: page * pageSize < all.length ? pageAt(page + 1) : null,
      previous: page > 1 ? pageAt(page - 1) : null,
      results,
    }
  }

  /** @throws Error for an unknown id */
  async get(memoryId: string): Promise<ClientMemory> {
    const version = await this.#mem0.get(memoryId)
    if (version === null) throw new Error(`Memory with ID ${memoryId} not found`)
    return clientMemoryOf(version)
  }

  async update(memoryId: string, options: UpdateOptions & { timestamp?: number | string }): Promise<ClientMemory[]> {
    this.#mem0.warnOfUnused(options, updateFields)
    return [{ ...clientMemoryOf(await this.#mem0.update(memoryId, options)), event: 'UPDATE' }]
  }

  async delete(memoryId: string, options: { deleteLinked?: boolean } = {}): Promise<{ message: string }> {
    this.#mem0.warnOfUnused(options, [])
    await this.#mem0.delete(memoryId)
    return { message: 'Memory deleted successfully!' }
  }

  async deleteAll(owner: OwnerOptions = {}): Promise<{ message: string }> {
    await this.#mem0.deleteAll(owner)
    return { message: 'Memories deleted successfully!' }
  }

  /** The oldest first. */
  async history(memoryId: string) {
    const records = await this.#mem0.history(memoryId)
    return records.map(({ id, action: event, before, after, version, at }) => ({
      id,
      memoryId,
      input: [{ role: roleOf(version), content: version.text }],
      oldMemory: before,
      newMemory: after,
      userId: version.owner.user_id ?? '',
      categories: [] as string[],
      event,
      createdAt: new Date(version.createdAt),
      updatedAt: new Date(at),
    }))
  }

  async batchUpdate(memories: { memoryId: string; text: string }[]): Promise<string> {
    for (const { memoryId, text } of memories) await this.#mem0.update(memoryId, { text })
    return `Successfully updated ${memories.length} memories`
  }

  async batchDelete(memoryIds: string[]): Promise<string> {
    for (const memoryId of memoryIds) await this.#mem0.delete(memoryId)
    return `Successfully deleted ${memoryIds.length} memories`
  }
}

function clientMemoryOf({ id, text, owner, metadata, createdAt, updatedAt, expirationDate }: Item): ClientMemory {
  const { user_id: userId, agent_id: agentId = null, app_id: appId = null, run_id: runId = null } = owner
  return {
    id,
    memory: text,
    ...(userId !== undefined && { userId }),
    agentId,
    appId,
    runId,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt ?? createdAt),
    metadata,
    expirationDate: expirationDate ?? null,
  }
}

function roleOf({ attributedTo }: Version): 'user' | 'assistant' {
  return attributedTo === 'assistant' ? 'assistant' : 'user'
}
