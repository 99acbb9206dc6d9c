/** POST …/utterances: checks one utterance or chat message, or a list of them, field by field, and appends them. */
import { type Fault, LoomlogError } from '@loomlog/errors'
import type { Intake } from '@loomlog/intake/append'
import { IdConflict } from '@loomlog/intake/duplicates'
import { hasTime, isMessage, utteranceOfMessage, withTime } from '@loomlog/intake/message'
import { InvalidField, type SpaceAddress, utteranceFrom } from '@loomlog/intake/utterance'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import type { AuthorFaults } from '../access/author-access.ts'
import { faultyBody } from '../problem.ts'
import { idOfKey } from './idempotency-key.ts'

/** Most utterances in one request. */
export const maxUtterances = 500
/** Most faults that one answer names. */
const maxFaults = 20

export interface AppendAddress extends SpaceAddress {
  /** The conversation of items that name none. */
  readonly conversation: string | undefined
  /** Gives the ids of items that have none; null: their content does. */
  readonly idempotencyKey: string | null
  /** Null: the caller writes in the name of any author. */
  readonly authorFaults: AuthorFaults | null
  /** Number of items that the request had before these. */
  readonly itemsBefore: number
  /** The key or token that brings them, `key:ID` or `token:SUBJECT`; null: none was needed. */
  readonly principal: string | null
  /** Whether standing instructions in them hold. */
  readonly canInstruct: boolean
}

export interface AcceptedUtterances {
  /** In the order of the request. */
  readonly ids: readonly string[]
  readonly appended: number
  readonly known: number
}

/**
 * @throws LoomlogError; then the request wrote nothing, except after an id conflict between processes
 * (`Intake.append`)
 */
export async function acceptUtterances(
  body: unknown,
  address: AppendAddress,
  intake: Intake,
): Promise<AcceptedUtterances> {
  const given: readonly unknown[] = Array.isArray(body) ? body : [body]
  if (given.length === 0 || given.length > maxUtterances) {
    throw new LoomlogError('input-invalid', `the body has ${given.length} utterances: expected 1 to ${maxUtterances}`)
  }
  const pointer = (index: number, field: string) =>
    [Array.isArray(body) ? String(index) : '', field]
      .filter((part) => part !== '')
      .map(pointerStep)
      .join('')
  const events = checkedEvents(given, address, pointer)
  checkAuthors(events, given, address, pointer)
  try {
    return { ids: events.map((event) => event.id), ...(await intake.append(events)) }
  } catch (error) {
    if (!(error instanceof IdConflict)) throw error
    const index = events.findLastIndex((event) => event.id === error.id)
    const { idempotencyKey: key } = address
    const isOfKey = key !== null && !hasId(given[index])
    const detail = isOfKey ? `the Idempotency-Key ${JSON.stringify(key)} was sent with other content` : error.message
    throw faultyBody('id-conflict', [{ pointer: pointer(index, isOfKey ? '' : 'id'), detail }])
  }
}

function checkedEvents(
  given: readonly unknown[],
  address: AppendAddress,
  pointer: (index: number, field: string) => string,
): UtteranceAppended[] {
  const now = Date.now()
  const events: UtteranceAppended[] = []
  const faults: Fault[] = []
  for (const [index, item] of given.entries()) {
    try {
      events.push(eventOf(item, index, address, now))
    } catch (error) {
      if (!(error instanceof InvalidField)) throw error
      faults.push({ pointer: pointer(index, error.field), detail: error.message })
      if (faults.length === maxFaults) break
    }
  }
  if (faults.length > 0) throw faultyBody('input-invalid', faults)
  return events
}

/** @throws LoomlogError `not-allowed` */
function checkAuthors(
  events: readonly UtteranceAppended[],
  given: readonly unknown[],
  { authorFaults }: AppendAddress,
  pointer: (index: number, field: string) => string,
): void {
  if (authorFaults === null) return
  const faults = events.flatMap((event, index) =>
    authorFaults(event, given[index]).map(({ field, detail }) => ({ pointer: pointer(index, field), detail })),
  )
  if (faults.length > 0) throw faultyBody('not-allowed', faults.slice(0, maxFaults))
}

function eventOf(item: unknown, index: number, address: AppendAddress, now: number): UtteranceAppended {
  const given = completed(item, index, address)
  if (!isObject(given)) return utteranceFrom(given, address, now)
  const utterance = isMessage(given) ? utteranceOfMessage(given, now) : withTime(given, now)
  const { principal, canInstruct } = address
  const event = { ...utteranceFrom(utterance, address, now), principal, canInstruct }
  return hasTime(given) ? event : { ...event, isTimeGiven: false }
}

/** The item with the conversation and the id that the request gives it. */
function completed(item: unknown, index: number, address: AppendAddress): unknown {
  if (!isObject(item)) return item
  const { conversation, idempotencyKey: key, itemsBefore } = address
  return {
    ...item,
    ...(!('conversation' in item) && conversation !== undefined && { conversation }),
    ...(!hasId(item) && key !== null && { id: idOfKey(key, itemsBefore + index, address) }),
  }
}

function hasId(item: unknown): boolean {
  return isObject(item) && 'id' in item
}

function isObject(item: unknown): item is { readonly [field: string]: unknown } {
  return item !== null && typeof item === 'object' && !Array.isArray(item)
}

/** One step of a JSON pointer (RFC 6901). */
function pointerStep(part: string): string {
  return `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
