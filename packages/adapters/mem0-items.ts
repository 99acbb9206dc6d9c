/** The memories of mem0 as values: who they are of, which of them a filter selects. Pure. */
import { hash } from '@loomlog/schemas/ids'
import { maxNameChars, nameFrom } from '@loomlog/schemas/names'

/** The names in filters and records; the arguments have them in camel case. */
const owners = { user_id: 'userId', agent_id: 'agentId', run_id: 'runId', app_id: 'appId' } as const

export type Owner = { readonly [name in keyof typeof owners]?: string }
export interface OwnerOptions {
  readonly userId?: string | undefined
  readonly agentId?: string | undefined
  readonly runId?: string | undefined
  readonly appId?: string | undefined
}
/** Without a type, as in mem0. */
export type Json = ReturnType<typeof JSON.parse>
export type Fields = { readonly [name: string]: Json }

export interface StoredMemory {
  readonly id: string
  readonly owner: Owner
  readonly metadata: Fields
  readonly attributedTo: string
  /** In ms since 1970. */
  readonly createdAt: number
  /** In ms since 1970, of the latest change. */
  readonly updatedAt?: number | undefined
  /** YYYY-MM-DD; the memory is shown until its end. */
  readonly expirationDate?: string | undefined
}

export interface Item extends StoredMemory {
  readonly text: string
}

const ownerNames = Object.keys(owners) as readonly (keyof Owner)[]

/** @throws Error for an id that a memory can't have */
export function ownerOf(options: OwnerOptions): Owner {
  const given = ownerNames.flatMap((name) => {
    const id = options[owners[name]]
    return id === undefined || id === null ? [] : [[name, idFrom(id, owners[name], expectedId)]]
  })
  return Object.fromEntries(given)
}

const expectedId = 'an id (a number, or up to 256 visible characters without spaces, other than *)'
const expectedOwner = `${expectedId}, a list of ids, '*', { eq: id } or { in: ids }`

/** Ids that look the same are the same. */
function idFrom(value: unknown, name: string, expected: string): string {
  const id = ['string', 'bigint'].includes(typeof value) || Number.isFinite(value) ? nameFrom(String(value)) : null
  if (id === null || id === '*' || /\s/.test(id))
    throw new Error(`Invalid ${name}: ${JSON.stringify(value)}. Expected ${expected}`)
  return id
}

/** The person of the messages: two runs or agents without a user id have two persons. */
export function personOf({ user_id, run_id, agent_id, app_id }: Owner): string {
  return user_id ?? `user of ${run_id ?? agent_id ?? app_id}`.slice(0, maxNameChars)
}

/** Owners with the same ids have one conversation. Its name is the ids, or their hash where they are too long. */
export function conversationOf(owner: Owner): string {
  const ids = JSON.stringify(
    Object.fromEntries(ownerNames.flatMap((name) => (owner[name] === undefined ? [] : [[name, owner[name]]]))),
  )
  const name = `mem0 ${ids}`
  return name.length <= maxNameChars ? name : `mem0 ${hash([ids])}`
}

/**
 * The filter with the ids of owners as `selects` compares them. Their keys may be in camel case, too.
 * @throws Error for an owner without a value, which would widen the filter to every owner
 */
export function checkedFilters(filters: unknown): Fields {
  const given = withCheckedOwners(filters ?? {})
  if (!namesOwner(given))
    throw new Error(
      `filters must contain at least one of: ${ownerNames.join(', ')}. Example: filters: { user_id: 'u1' }`,
    )
  return given
}

function withCheckedOwners(filters: unknown): Fields {
  if (!isFields(filters)) throw new Error(`Invalid filters: ${JSON.stringify(filters)}. Expected an object`)
  return Object.fromEntries(
    Object.entries(filters).map(([key, value]) => {
      if (['AND', 'OR', 'NOT'].includes(key)) {
        if (!Array.isArray(value)) throw new Error(`${key} operator requires a list of conditions`)
        return [key, value.map(withCheckedOwners)]
      }
      if (key === 'metadata' && !isFields(value))
        throw new Error(`Invalid metadata: ${JSON.stringify(value)}. Expected an object`)
      const owner = ownerNames.find((name) => name === key || owners[name] === key)
      return owner === undefined ? [key, value] : [owner, ownersFrom(value, key)]
    }),
  )
}

function ownersFrom(condition: unknown, name: string): '*' | readonly string[] {
  if (condition === '*') return condition
  const [[operator, ids] = [], ...further] = isFields(condition) ? Object.entries(condition) : [['eq', condition]]
  if (further.length > 0 || (operator !== 'eq' && operator !== 'in'))
    throw new Error(`Invalid ${name}: ${JSON.stringify(condition)}. Expected ${expectedOwner}`)
  return [ids].flat().map((id) => idFrom(id, name, expectedOwner))
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the filter names an owner in each alternative. A negation names none. */
function namesOwner(filters: Fields): boolean {
  if (ownerNames.some((name) => name in filters)) return true
  const [all, any] = [filters['AND'], filters['OR']] as readonly (readonly Fields[] | undefined)[]
  return (all?.some(namesOwner) ?? false) || (any !== undefined && any.length > 0 && any.every(namesOwner))
}

/** @param now in ms since 1970 */
export function isExpired({ expirationDate }: StoredMemory, now: number): boolean {
  return expirationDate !== undefined && expirationDate < new Date(now).toISOString().slice(0, 10)
}

/** @throws Error unless it is a date */
export function checkedDate(value: string): string {
  const time = Date.parse(`${value}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value) || Number.isNaN(time) || !new Date(time).toISOString().startsWith(value))
    throw new Error('expirationDate must be a valid date in YYYY-MM-DD format.')
  return value
}

/** @throws Error for an operator that mem0 doesn't have */
export function selects(filters: Fields, item: Item): boolean {
  return Object.entries(filters).every(([key, condition]) => {
    switch (key) {
      case 'AND':
        return (condition as readonly Fields[]).every((each) => selects(each, item))
      case 'OR':
        return (condition as readonly Fields[]).some((each) => selects(each, item))
      case 'NOT':
        return !(condition as readonly Fields[]).some((each) => selects(each, item))
      case 'metadata':
        return Object.entries(condition as Fields).every(([name, value]) => holds(value, item.metadata[name]))
      default:
        return condition === undefined || holds(condition, fieldOf(item, key))
    }
  })
}

function fieldOf({ owner, createdAt, updatedAt, metadata }: Item, key: string): unknown {
  if (ownerNames.includes(key as keyof Owner)) return owner[key as keyof Owner]
  if (key === 'created_at') return new Date(createdAt).toISOString()
  if (key === 'updated_at') return new Date(updatedAt ?? createdAt).toISOString()
  return metadata[key]
}

function holds(condition: unknown, value: unknown): boolean {
  if (condition === '*') return value !== undefined && value !== null
  if (Array.isArray(condition)) return condition.includes(value)
  if (condition === null || typeof condition !== 'object') return value === condition
  return Object.entries(condition).every(([operator, operand]) => compare(operator, value, operand))
}

function compare(operator: string, value: unknown, operand: unknown): boolean {
  switch (operator) {
    case 'eq':
      return value === operand
    case 'ne':
      return value !== operand
    case 'in':
      return [operand].flat().includes(value)
    case 'nin':
      return ![operand].flat().includes(value)
    case 'contains':
      return textOrListHas(value, operand)
    case 'icontains':
      return String(value ?? '')
        .toLowerCase()
        .includes(String(operand).toLowerCase())
    case 'gt':
      return order(value, operand) > 0
    case 'gte':
      return order(value, operand) >= 0
    case 'lt':
      return order(value, operand) < 0
    case 'lte':
      return order(value, operand) <= 0
    default:
      throw new Error(`Unsupported metadata filter operator: ${operator}`)
  }
}

function textOrListHas(value: unknown, operand: unknown): boolean {
  return Array.isArray(value) ? value.includes(operand) : String(value ?? '').includes(String(operand))
}

/** Positive: the value is larger; NaN: they can't be compared. */
function order(value: unknown, operand: unknown): number {
  if (typeof value === 'number' && typeof operand === 'number') return value - operand
  if (typeof value !== 'string' || typeof operand !== 'string') return Number.NaN
  return value < operand ? -1 : value > operand ? 1 : 0
}
