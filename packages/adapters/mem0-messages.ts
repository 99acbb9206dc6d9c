/** The messages of mem0 as values: their words, and which of them an owner has already. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { type Fields, type Item, isExpired, type Owner } from './mem0-items.ts'

export interface Message {
  /** `user`, `assistant` or `tool`; `system` and `developer` are left out. */
  readonly role: string
  readonly content?: string | MessagePart | readonly MessagePart[] | null | undefined
}

interface MessagePart {
  readonly type: string
  readonly text?: string
}

export type Written = Pick<Item, 'text' | 'attributedTo'>

/** The fields of new messages that tell them from known ones. */
export interface SharedFields {
  readonly owner: Owner
  readonly expirationDate?: string | undefined
  /** Undefined: as those of any memory. */
  readonly metadata: Fields | undefined
  /** In ms since 1970. Undefined: as that of any memory. */
  readonly createdAt: number | undefined
}

/** A prompt often has recalled memories: it is none itself. */
const promptRoles = ['system', 'developer']
const roles = ['user', 'assistant', 'tool', ...promptRoles]
const textTypes = ['text', 'input_text', 'output_text']

/**
 * The messages that become memories.
 * @param leaveOut gets the type of each part without words, such as an image
 * @throws Error for a role or a content of another form
 */
export function writtenIn(messages: string | readonly Message[], leaveOut: (type: string) => void): readonly Written[] {
  const given = typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages
  if (!Array.isArray(given) || given.length === 0)
    throw new Error(`Invalid messages: ${JSON.stringify(messages)}. Expected a text or a list of messages`)
  const texts = given.map((message: Message | null) => ({
    attributedTo: roleOf(message),
    text: textOf(message?.content, leaveOut),
  }))
  const written = texts.filter(({ text }) => text.trim() !== '')
  if (written.length === 0) throw new Error('messages cannot contain only blank content: expected a text')
  return written.filter(({ attributedTo }) => !promptRoles.includes(attributedTo))
}

function roleOf(message: Message | null): string {
  const role = message?.role
  if (role !== undefined && roles.includes(role)) return role
  throw new Error(
    `Invalid role of a message: ${JSON.stringify(role)}. Expected user, assistant, tool, system or developer`,
  )
}

function textOf(content: unknown, leaveOut: (type: string) => void): string {
  if (typeof content === 'string') return content
  const texts = [content ?? []].flat().flatMap((part: Partial<MessagePart> | null) => {
    const { type, text } = part ?? {}
    if (typeof type === 'string' && !textTypes.includes(type)) {
      leaveOut(type)
      return []
    }
    if (typeof type === 'string' && typeof text === 'string') return [text]
    throw new Error(
      `Invalid content of a message: ${JSON.stringify(content)}. Expected a text, or a list of parts such as { type: 'text', text }`,
    )
  })
  return texts.join('\n')
}

/** Whether the memory has these fields, and can be the same as a message of equal words. */
export function isAlike(item: Item, { owner, expirationDate, metadata, createdAt }: SharedFields): boolean {
  return (
    isDeepStrictEqual(item.owner, owner) &&
    !isExpired(item, Date.now()) &&
    item.expirationDate === expirationDate &&
    (metadata === undefined || isDeepStrictEqual(item.metadata, metadata)) &&
    (createdAt === undefined || item.createdAt === createdAt)
  )
}

/** Each known memory stands for one message: of repeated words only further ones are new. */
export function newAmong(messages: readonly Written[], known: readonly Written[]): readonly Written[] {
  const words = known.map(wordsOf)
  return messages.filter((message) => {
    const place = words.indexOf(wordsOf(message))
    if (place !== -1) words.splice(place, 1)
    return place === -1
  })
}

function wordsOf({ text, attributedTo }: Written): string {
  return JSON.stringify([attributedTo, text])
}
