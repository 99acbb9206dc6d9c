/**
 * A conversation of the memory as a store of LangGraph: each item is an utterance. A value that is replaced or deleted
 * is retracted. Filters and namespaces are those of LangGraph's own store in memory, which holds the items of a batch.
 */
import {
  BaseStore,
  getTextAtPath,
  InMemoryStore,
  type Item,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint'
import type { MemorySpace } from '@loomlog/client/memory'
import { LabelledUtterances, type LabelledValue, type NewValue } from './labelled-utterances.ts'

export interface StoreOptions {
  readonly space: MemorySpace
  /** The conversation of the items. It belongs to the store alone. Default: `langgraph`. */
  readonly conversation?: string | undefined
  /** The author of the items. Default: `agent`. */
  readonly agent?: string | undefined
}

type StoredItem = Pick<Item, 'namespace' | 'key' | 'value'> & {
  /** In ms since 1970. */
  readonly createdAt: number
  /** Whether a query finds it. */
  readonly isIndexed: boolean
  /** The paths of its words; null: those of every text. */
  readonly paths: readonly string[] | null
}
type StoredVersion = LabelledValue<StoredItem>

interface Change {
  readonly added: readonly NewValue<StoredItem>[]
  readonly old: readonly StoredVersion[]
  readonly reason: 'deleted' | 'replaced'
}

const defaultLimit = 10
/** Most memories of a recall. */
const maxRanked = 200

export function memoryStore(options: StoreOptions): BaseStore {
  return new MemoryStore(options)
}

class MemoryStore extends BaseStore {
  readonly #space: MemorySpace
  readonly #conversation: string
  readonly #agent: string
  readonly #items: LabelledUtterances<StoredItem>

  constructor({ space, conversation = 'langgraph', agent = 'agent' }: StoreOptions) {
    super()
    this.#space = space
    this.#conversation = conversation
    this.#agent = agent
    this.#items = new LabelledUtterances({ space, conversation, label: 'langgraph' })
  }

  /** Reads see the items before the batch. Of several writes to one key, the last counts. */
  async batch<Ops extends Operation[]>(operations: Ops): Promise<OperationResults<Ops>> {
    const work = () => this.#batch(operations)
    return operations.some(isPut) ? await this.#items.inTurn(work) : await work()
  }

  async #batch<Ops extends Operation[]>(operations: Ops): Promise<OperationResults<Ops>> {
    const versions = await this.#items.read()
    const current = new Map(versions.map((stored) => [pathOf(stored.value), stored]))
    const state = new InMemoryStore()
    await state.batch([...current.values()].map(({ value: { namespace, key, value } }) => ({ namespace, key, value })))
    const results: readonly unknown[] = await state.batch(operations.map(withoutQuery))
    const dated = operations.map((operation, at) => {
      if ('namespacePrefix' in operation) return this.#ranked(operation, results[at] as SearchItem[], current)
      if (isPut(operation) || !('key' in operation)) return results[at]
      return results[at] === null ? null : withTimes(results[at] as Item, current)
    })
    const found = (await Promise.all(dated)) as OperationResults<Ops>
    await this.#write(operations.filter(isPut), versions)
    return found
  }

  /** All new versions are durable before the first old one is retracted. */
  async #write(puts: readonly PutOperation[], versions: readonly StoredVersion[]): Promise<void> {
    const last = new Map(puts.map((put) => [pathOf(put), put]))
    const before = Map.groupBy(versions, ({ value }) => pathOf(value))
    const changes = [...last].map(([path, put]) => this.#changeOf(put, before.get(path) ?? []))
    await this.#items.add(changes.flatMap(({ added }) => added))
    for (const [reason, alike] of Map.groupBy(changes, (change) => change.reason))
      await this.#items.retract(
        alike.flatMap(({ old }) => old),
        reason,
      )
  }

  #changeOf({ namespace, key, value, index }: PutOperation, versions: readonly StoredVersion[]): Change {
    if (value === null) return { added: [], old: versions, reason: 'deleted' }
    const before = versions.at(-1)?.value
    const indexed = { isIndexed: index !== false, paths: index || null }
    const isSame = before !== undefined && contentOf(before) === contentOf({ value, ...indexed })
    // Older versions are still there if their retraction was refused, or if several processes wrote at the same time.
    if (isSame) return { added: [], old: versions.slice(0, -1), reason: 'replaced' }
    const item = { namespace, key, value, createdAt: before?.createdAt ?? Date.now(), ...indexed }
    const words = index === false ? [] : (index?.flatMap((path) => getTextAtPath(value, path)) ?? wordsOf(value))
    const text = words.join('\n')
    const added = { speaker: this.#agent, role: 'agent', text: text.trim() === '' ? key : text, value: item } as const
    return { added: [added], old: versions, reason: 'replaced' }
  }

  /** The items in the order in which recall finds them, without a query in that of the store. */
  async #ranked(
    { query, offset = 0, limit = defaultLimit }: SearchOperation,
    items: readonly SearchItem[],
    current: ReadonlyMap<string, StoredVersion>,
  ): Promise<SearchItem[]> {
    const timed = items.map((item) => withTimes(item, current))
    if (query === undefined) return timed
    const { memories } = await this.#space.recall(query, {
      kind: 'utterance',
      conversation: this.#conversation,
      limit: maxRanked,
    })
    const scores = new Map(memories.map(({ id, score }) => [id, score]))
    return timed
      .flatMap((item) => {
        const stored = current.get(pathOf(item))
        const score = stored?.value.isIndexed ? scores.get(stored.id) : undefined
        return score === undefined ? [] : [{ ...item, score }]
      })
      .toSorted((a, b) => b.score - a.score)
      .slice(offset, offset + limit)
  }
}

/** Its value, and the paths that give its words. An item of an earlier version has no paths. */
function contentOf({ value, isIndexed, paths }: Pick<StoredItem, 'value' | 'isIndexed' | 'paths'>): string {
  return JSON.stringify([value, isIndexed, paths])
}

function pathOf({ namespace, key }: Pick<Item, 'namespace' | 'key'>): string {
  return JSON.stringify([...namespace, key])
}

function isPut(operation: Operation): operation is PutOperation {
  return 'value' in operation
}

/** A search with a query takes every item that its filter lets through, and ranks them. */
function withoutQuery(operation: Operation): Operation {
  if (!('namespacePrefix' in operation) || operation.query === undefined) return operation
  const { query: _, ...search } = operation
  return { ...search, offset: 0, limit: Number.POSITIVE_INFINITY }
}

function withTimes<Found extends Item>(item: Found, current: ReadonlyMap<string, StoredVersion>): Found {
  const stored = current.get(pathOf(item))
  if (stored === undefined) return item
  return { ...item, createdAt: new Date(stored.value.createdAt), updatedAt: new Date(stored.at) }
}

/** The texts of a value, however deep. */
function wordsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(wordsOf) : []
}
