/**
 * Checks an utterance from a writer once, field by field, and makes it a source event. An error names the field, the
 * value and the expected one.
 */
import { LoomlogError } from '@loomlog/errors'
import { formatValue } from '@loomlog/errors/invalid-input'
import type { Attachment, ConversationPaused, Role, SpacePaused, UtteranceAppended } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { expectedName, givenId, nameFrom } from '@loomlog/schemas/names'

/** Longest text, in UTF-8 bytes. */
export const maxTextBytes = 65_536

const roles: readonly Role[] = ['human', 'agent', 'tool', 'system']
const fields = ['id', 'conversation', 'speaker', 'role', 'at', 'text', 'attachments', 'metadata']

/** Most attachments or labels of one utterance. */
const maxItems = 64
/** Largest utterance with all its fields, in bytes of UTF-8 JSON: well below the limit of a record. */
const maxUtteranceBytes = 262_144
/**
 * A text of this length, without attachments and labels, is below that limit, also if JSON escapes each character with
 * six bytes.
 */
const maxUnmeasuredChars = 40_000

/** Names the wrong field, for callers that report faults field by field; '' is the utterance itself. */
export class InvalidField extends LoomlogError {
  readonly field: string

  constructor(field: string, message: string) {
    super('input-invalid', message)
    this.field = field
  }
}

export interface SpaceAddress {
  readonly tenant: string
  readonly space: string
}

/**
 * Checks one utterance as a writer sends it: `{ id?, conversation, speaker, role?, at, text, attachments?, metadata?
 * }`, `at` in ISO 8601 with a time zone, role `human` by default. Without an id, one is derived from the content, so
 * that sending it twice has one effect. Half a surrogate pair, which no encoding can hold, becomes U+FFFD before the id
 * is derived, so that a retry gets the same id.
 * @throws InvalidField
 */
export function utteranceFrom(input: unknown, place: SpaceAddress, appendedAt: number): UtteranceAppended {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    throw new InvalidField('', `the utterance is ${formatValue(input)}: expected a JSON object`)
  }
  const body = input as { readonly [field: string]: unknown }
  for (const field of Object.keys(body)) {
    if (fields.includes(field)) continue
    throw new InvalidField(field, `there is no field ${formatValue(field)}: expected some of ${fields.join(', ')}`)
  }
  const conversation = checkedName(body.conversation, 'conversation')
  const speaker = checkedName(body.speaker, 'speaker')
  const role = checkedRole(body.role)
  const at = checkedTime(body.at, 'at')
  const text = checkedText(body.text)
  const attachments = checkedAttachments(body.attachments)
  const metadata = labels(body.metadata)
  // Sorted keys, here and below: their canonical JSON takes a third of the time.
  const content = { at, attachments, conversation, metadata, role, speaker, text }
  if (body.attachments !== undefined || body.metadata !== undefined || text.length > maxUnmeasuredChars)
    checkSize(content)
  const { tenant, space } = checkedAddress(place)
  const id = body.id === undefined ? hash([tenant, space, content]) : checkedId(body.id)
  return {
    appendedAt,
    at,
    attachments,
    canInstruct: true,
    conversation,
    id,
    isTimeGiven: true,
    keyId: null,
    principal: null,
    metadata,
    role,
    space,
    speaker,
    tenant,
    text,
    type: 'UtteranceAppended',
  }
}

function checkSize(content: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(content))
  if (bytes <= maxUtteranceBytes) return
  throw new InvalidField('', `the utterance has ${bytes} bytes in all: expected at most ${maxUtteranceBytes}`)
}

/** The end of a session: seals the conversation's open box. Its id is derived from the last utterance's. */
export function conversationPauseAfter(
  last: Pick<UtteranceAppended, 'id' | 'tenant' | 'space' | 'conversation' | 'at' | 'appendedAt'>,
): ConversationPaused {
  const { tenant, space, conversation, at, appendedAt } = last
  const id = hash(['pause', tenant, space, conversation, last.id])
  return { type: 'ConversationPaused', id, tenant, space, conversation, afterUtterance: last.id, at, appendedAt }
}

/**
 * The end of a file, or a long silence in the space: later stages process the boxes and facts that wait for more. It
 * belongs after the pauses of the space's conversations.
 */
export function spacePauseAfter(
  last: Pick<UtteranceAppended, 'id' | 'tenant' | 'space' | 'at' | 'appendedAt'>,
): SpacePaused {
  const { tenant, space, at, appendedAt } = last
  const id = hash(['space-pause', tenant, space, last.id])
  return { type: 'SpacePaused', id, tenant, space, afterUtterance: last.id, at, appendedAt }
}

/** The address in NFC, trimmed. Tenant and space make the key, so neither may hold a slash. @throws InvalidField */
export function checkedAddress({ tenant, space }: SpaceAddress): SpaceAddress {
  return { tenant: withoutSlash(tenant, 'tenant'), space: withoutSlash(space, 'space') }
}

function withoutSlash(value: string, field: string): string {
  const name = checkedName(value, field)
  if (name.includes('/')) throw invalid(field, value, 'a name without a slash')
  return name
}

/** ISO 8601 with a time zone → ms since the epoch. @throws InvalidField */
export function checkedTime(value: unknown, field: string): number {
  const expected = 'a time in ISO 8601 with a time zone, such as 2026-03-02T09:00:00Z'
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(value)) {
    throw invalid(field, value, expected)
  }
  const ms = Date.parse(value)
  if (Number.isNaN(ms) || !isInMonth(value)) throw invalid(field, value, expected)
  return ms
}

/** Date.parse turns 30 February into 2 March. */
function isInMonth(time: string): boolean {
  const day = Number(time.slice(8, 10))
  return day <= 28 || day <= new Date(Date.UTC(Number(time.slice(0, 4)), Number(time.slice(5, 7)), 0)).getUTCDate()
}

/** @throws InvalidField */
export function checkedName(value: unknown, field: string): string {
  const name = nameFrom(value)
  if (name === null) throw invalid(field, value, expectedName)
  return name
}

function checkedId(value: unknown): string {
  const id = givenId(value)
  if (id === null) throw invalid('id', value, expectedName)
  return id
}

function checkedText(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalid('text', value, 'words')
  const bytes = Buffer.byteLength(value)
  if (bytes > maxTextBytes) throw invalid('text', value, `at most ${maxTextBytes} bytes, and these are ${bytes}`)
  return value.toWellFormed()
}

function checkedRole(value: unknown): Role {
  const found = roles.find((known) => known === (value ?? 'human'))
  if (!found) throw invalid('role', value, `one of ${roles.join(', ')}`)
  return found
}

function checkedAttachments(value: unknown): Attachment[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > maxItems) {
    throw invalid('attachments', value, `an array of at most ${maxItems} { kind, description, uri? }`)
  }
  return value.map((item: unknown, index) => {
    const { kind, description, uri = null, ...rest } = (item ?? {}) as { readonly [field: string]: unknown }
    const isAttachment =
      typeof kind === 'string' && typeof description === 'string' && (uri === null || typeof uri === 'string')
    if (!isAttachment || Object.keys(rest).length > 0)
      throw invalid(`attachments[${index}]`, item, '{ kind, description, uri? }')
    if (Buffer.byteLength(description) > maxTextBytes) {
      throw invalid(`attachments[${index}].description`, description, `at most ${maxTextBytes} bytes`)
    }
    return {
      description: description.toWellFormed(),
      kind: kind.toWellFormed(),
      uri: uri?.toWellFormed() ?? null,
    }
  })
}

function labels(value: unknown): { readonly [key: string]: string } {
  if (value === undefined) return {}
  const isMap = value !== null && typeof value === 'object' && !Array.isArray(value)
  const entries = isMap ? Object.entries(value) : []
  if (!isMap || entries.length > maxItems || entries.some(([, item]) => typeof item !== 'string')) {
    throw invalid('metadata', value, `an object of at most ${maxItems} labels whose values are strings`)
  }
  const named = entries.map(([key, item]) => [checkedName(key, 'metadata'), (item as string).toWellFormed()] as const)
  const names = new Set(named.map(([name]) => name))
  // `__proto__` as a key would be lost when the event is decoded.
  if (names.size < named.length || names.has('__proto__'))
    throw invalid('metadata', value, 'labels whose names differ, none of them __proto__')
  return Object.fromEntries(named)
}

function invalid(field: string, value: unknown, expected: string): InvalidField {
  return new InvalidField(field, `${field} is ${formatValue(value)}: expected ${expected}`)
}
