/**
 * Chat messages in OpenAI's form: a list of messages, an object with `messages`, or one of either a line, as in files
 * for fine-tuning. A list, or lines of messages, are one conversation, named after the file; each object with
 * `messages` is one.
 *
 * The id of a message without one is derived from its conversation, its number there and its content, and not from its
 * time: the same file again, also with more messages at its end, adds only those.
 */
import { LoomlogError } from '@loomlog/errors'
import { hash, type Json } from '@loomlog/schemas/ids'
import { isMessage, utteranceOfMessage } from '../message.ts'
import {
  type Entry,
  entryAt,
  type Fields,
  type Format,
  fieldsOf,
  type ImportOptions,
  isFields,
  listOf,
} from './format.ts'

export const chat: Format = {
  expected: 'chat messages, such as [{"role":"user","content":"I moved to Porto."}] or {"messages":[…]}',
  isFirstValue: (value) => isRoleMessage(value) || (isChat(value) && value.messages.some(isRoleMessage)),
  reader(options) {
    const numbers = new Map<string, number>()
    const numbered = (message: unknown, conversation: string) => {
      const number = (numbers.get(conversation) ?? 0) + 1
      numbers.set(conversation, number)
      return messageEntry(message, { conversation, number, options })
    }
    return function* ({ value, number, layout }) {
      const fields = fieldsOf(value, 'the value', chat.expected)
      if (!('messages' in fields)) {
        yield entryAt('', () => numbered(fields, nameOf(fields.conversation) ?? conversationOf(options, '')))
        return
      }
      const suffix = layout === 'document' ? '' : `-${number}`
      const conversation = nameOf(fields.conversation) ?? conversationOf(options, suffix)
      for (const [at, message] of listOf(fields.messages, 'messages').entries())
        yield entryAt(`messages[${at}]`, () => numbered(message, conversation))
    }
  },
}

interface MessagePlace {
  readonly conversation: string
  readonly number: number
  readonly options: ImportOptions
}

function messageEntry(given: unknown, { conversation, number, options }: MessagePlace): Omit<Entry, 'at'> {
  const message = fieldsOf(given, 'the message', 'a chat message with its role and content')
  const { at, isFileTime } = timeOf(message, options)
  const id = message.id ?? hash(['chat', conversation, number, { ...message, at: null } as Json])
  const name = message.name ?? (message.role === 'user' ? options.speaker : undefined)
  const named = { ...message, id, conversation, at, ...(name !== undefined && { name }) }
  return { input: utteranceOfMessage(named, 0), isFileTime }
}

function timeOf({ at }: Fields, { at: givenAt, fileTime }: ImportOptions) {
  if (at !== undefined && at !== null) return { at, isFileTime: false }
  const time = givenAt ?? fileTime
  if (time !== null) return { at: time, isFileTime: givenAt === null }
  throw new LoomlogError('input-invalid', 'at is missing: expected a time in each message, or --at TIME')
}

function conversationOf({ conversation, fileName }: ImportOptions, suffix: string): string {
  const name = conversation ?? fileName
  if (name !== null) return `${name}${suffix}`
  throw new LoomlogError(
    'input-invalid',
    'conversation is missing: expected one in each message, or --conversation NAME',
  )
}

function nameOf(conversation: unknown): string | null {
  return typeof conversation === 'string' ? conversation : null
}

function isRoleMessage(value: unknown): boolean {
  return isFields(value) && typeof value.role === 'string' && isMessage(value) && !('role_type' in value)
}

function isChat(value: Fields): value is Fields & { readonly messages: readonly unknown[] } {
  const isOfZep = 'session_id' in value || 'thread_id' in value
  return Array.isArray(value.messages) && !isOfZep
}
