/** The operations of mem0 on its store, which both classes share: checks of arguments, defaults and selections. */
import {
  checkedDate,
  checkedFilters,
  type Fields,
  type Item,
  isExpired,
  type Owner,
  type OwnerOptions,
  ownerOf,
  selects,
} from './mem0-items.ts'
import { isAlike, type Message, newAmong, writtenIn } from './mem0-messages.ts'
import { type PlaceOptions, placeOf, type SpaceAccess } from './mem0-place.ts'
import { Mem0Store, type NewMemory, type Version } from './mem0-store.ts'

export interface AddOptions extends OwnerOptions {
  readonly metadata?: Fields | undefined
  readonly filters?: Fields | undefined
  /** False: also messages that the owner has already. */
  readonly infer?: boolean | undefined
  /** When the messages were written: a date, or in seconds since 1970. Default: now. */
  readonly timestamp?: number | string | Date | null | undefined
  readonly expirationDate?: string | null | undefined
}

export interface UpdateOptions {
  readonly text?: string | undefined
  readonly metadata?: Fields | undefined
  readonly expirationDate?: string | null | undefined
}

export interface ReadOptions {
  readonly filters?: Fields | undefined
  readonly showExpired?: boolean | undefined
  readonly topK?: number | undefined
  /** Least score of a search: the probability that the memory is evidence. Default: 0. */
  readonly threshold?: number | undefined
}

/** The fields of options that have an effect. */
const ownerFields = ['userId', 'agentId', 'runId', 'appId']
export const addFields = [...ownerFields, 'metadata', 'filters', 'infer', 'timestamp', 'expirationDate']
export const searchFields = ['filters', 'topK', 'threshold', 'showExpired']
export const updateFields = ['text', 'metadata', 'expirationDate']

export interface HistoryRecord {
  readonly id: string
  readonly action: 'ADD' | 'UPDATE' | 'DELETE'
  readonly before: string | null
  readonly after: string | null
  readonly version: Version
  /** In ms since 1970. */
  readonly at: number
}

const identityFields = ['user_id', 'agent_id', 'run_id', 'app_id']

export class Mem0Operations {
  readonly #place: SpaceAccess
  readonly #warned = new Set<string>()

  constructor(options: PlaceOptions, spaceName: string) {
    this.#place = placeOf(options, spaceName)
  }

  /** A warning that names each field without an effect once. */
  warnOfUnused(given: object, used: readonly string[]): void {
    const unused = Object.entries(given).flatMap(([name, value]) =>
      value === undefined || used.includes(name) || this.#warned.has(name) ? [] : [name],
    )
    if (unused.length === 0) return
    for (const name of unused) this.#warned.add(name)
    console.warn(`@loomlog/adapters/mem0: without an effect here: ${unused.join(', ')}`)
  }

  async add(messages: string | readonly Message[], options: AddOptions): Promise<readonly NewMemory[]> {
    const owner = { ...ownerIn(options.filters), ...ownerOf(options) }
    if (Object.keys(owner).length === 0) throw new Error('One of the filters: userId, agentId or runId is required!')
    const { timestamp, expirationDate: date } = options
    const createdAt = timeIn(timestamp)
    const metadata = withoutIdentity(options.metadata)
    const expirationDate = date === undefined ? undefined : dateOrNone(date)
    const written = writtenIn(messages, (type) => this.warnOfUnused({ [`content of type ${type}`]: true }, []))
    const alike = {
      owner,
      expirationDate,
      metadata: options.metadata && metadata,
      createdAt: timestamp === undefined || timestamp === null ? undefined : createdAt,
    }
    return this.#withStore(async (store) => {
      const items = options.infer === false ? [] : await store.items()
      const known = items.filter((item) => isAlike(item, alike))
      const added = newAmong(written, known).map((message, place): NewMemory => {
        const id = crypto.randomUUID()
        return { ...message, id, owner, metadata, expirationDate, createdAt, at: createdAt + place }
      })
      await store.add(added)
      return added
    })
  }

  async search(query: string, options: ReadOptions): Promise<readonly (Version & { readonly score: number })[]> {
    if (typeof query !== 'string' || query.trim() === '') throw new Error(`Invalid query: ${query}. Expected words`)
    const { threshold = 0 } = options
    if (typeof threshold !== 'number' || !(threshold >= 0 && threshold <= 1))
      throw new Error(`Invalid threshold: ${threshold}. Must be between 0 and 1 (inclusive).`)
    const isMeant = selectionOf(options)
    const count = countIn(options.topK)
    const found = await this.#withStore((store) => store.search(query, isMeant))
    return found.filter(({ score }) => score >= threshold).slice(0, count)
  }

  /** The newest first. */
  async getAll(options: ReadOptions): Promise<readonly Version[]> {
    const isMeant = selectionOf(options)
    return (await this.items()).filter(isMeant).toReversed()
  }

  async get(id: string): Promise<Version | null> {
    return (await this.items()).find((item) => item.id === id) ?? null
  }

  /** The oldest first. */
  items(): Promise<readonly Version[]> {
    return this.#withStore((store) => store.items())
  }

  async update(id: string, { text, metadata, expirationDate }: UpdateOptions): Promise<Item> {
    if (text === undefined && metadata === undefined && expirationDate === undefined)
      throw new Error('At least one of text, metadata, or expirationDate must be provided.')
    if (text !== undefined && (typeof text !== 'string' || text.trim() === ''))
      throw new Error(`Invalid text: ${JSON.stringify(text)}. Expected words`)
    return this.#withStore(async (store) => {
      const old = await currentVersion(store, id)
      const changed: NewMemory = {
        id,
        owner: old.owner,
        attributedTo: old.attributedTo,
        createdAt: old.createdAt,
        text: text ?? old.text,
        metadata: { ...old.metadata, ...withoutIdentity(metadata) },
        expirationDate: expirationDate === undefined ? old.expirationDate : dateOrNone(expirationDate),
        at: old.at,
        updatedAt: Date.now(),
      }
      // The new version is durable before the old ones are retracted, and holds also if this is refused.
      await store.add([changed])
      await store.retract((item) => item.id === id, 'updated')
      return { ...old, ...changed }
    })
  }

  async delete(id: string): Promise<void> {
    await this.#withStore(async (store) => {
      await currentVersion(store, id)
      await store.retract((item) => item.id === id, 'deleted')
    })
  }

  async deleteAll(options: OwnerOptions): Promise<void> {
    const unknown = Object.keys(options).find((name) => !ownerFields.includes(name))
    if (unknown !== undefined)
      throw new Error(`deleteAll has no field ${unknown}: expected userId, agentId, runId or appId`)
    if (Object.keys(options).length === 0)
      throw new Error('At least one filter is required to delete all memories: userId, agentId or runId')
    const filters = checkedFilters(options)
    await this.#retractWhere((item) => selects(filters, item))
  }

  async reset(): Promise<void> {
    await this.#retractWhere(() => true)
  }

  /** The oldest first. */
  async history(id: string): Promise<readonly HistoryRecord[]> {
    const versions = await this.#withStore((store) => store.versions(id))
    const records = versions.map((version, place): HistoryRecord => {
      const before = versions[place - 1]?.text ?? null
      const action = place === 0 ? 'ADD' : 'UPDATE'
      const at = version.updatedAt ?? version.createdAt
      return { id: version.utterance, action, before, after: version.text, version, at }
    })
    const last = versions.at(-1)
    if (last === undefined || last.knownTo === null) return records
    const deletion = { id: `${last.utterance}-deleted`, action: 'DELETE', before: last.text, after: null } as const
    return [...records, { ...deletion, version: last, at: last.knownTo }]
  }

  #withStore<T>(work: (store: Mem0Store) => Promise<T>): Promise<T> {
    return this.#place((space) => work(new Mem0Store(space)))
  }

  async #retractWhere(isMeant: (item: Item) => boolean): Promise<void> {
    await this.#withStore(async (store) => {
      await store.items()
      await store.retract(isMeant, 'deleted')
    })
  }
}

async function currentVersion(store: Mem0Store, id: string): Promise<Version> {
  const found = (await store.items()).find((item) => item.id === id)
  if (found === undefined) throw new Error(`Memory with ID ${id} not found`)
  return found
}

function ownerIn(filters: Fields | undefined): Owner {
  const { user_id: userId, agent_id: agentId, run_id: runId, app_id: appId } = filters ?? {}
  return ownerOf({ userId, agentId, runId, appId } as OwnerOptions)
}

function withoutIdentity(metadata: Fields | undefined): Fields {
  if (metadata === undefined) return {}
  if (metadata === null || typeof metadata !== 'object' || Array.isArray(metadata))
    throw new Error(`Invalid metadata: ${JSON.stringify(metadata)}. Expected an object`)
  const fields = Object.entries(metadata).filter(([name]) => !identityFields.includes(name))
  return JSON.parse(JSON.stringify(Object.fromEntries(fields)))
}

function dateOrNone(date: string | null): string | undefined {
  return date === null ? undefined : checkedDate(date)
}

function timeIn(timestamp: AddOptions['timestamp']): number {
  if (timestamp === undefined || timestamp === null) return Date.now()
  const at = new Date(typeof timestamp === 'number' ? timestamp * 1000 : timestamp).getTime()
  if (Number.isNaN(at)) throw new Error(`Invalid timestamp: ${timestamp}. Expected a date, or seconds since 1970`)
  return at
}

const defaultCount = 20

export function countIn(count: number = defaultCount): number {
  if (!Number.isInteger(count) || count < 0) throw new Error(`Invalid topK: ${count}. Must be a non-negative integer.`)
  return count
}

function selectionOf({ filters, showExpired = false }: ReadOptions): (item: Item) => boolean {
  const now = Date.now()
  const checked = checkedFilters(filters)
  return (item) => selects(checked, item) && (showExpired || !isExpired(item, now))
}
