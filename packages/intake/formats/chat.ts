/**
 * Chat messages in OpenAI's form: a list of messages, an object with `messages`, or one of either a line, as in files
 * for fine-tuning. A list, or lines of messages, are one conversation, named after the file; each object with
 * `messages` is one, the second with the suffix `-2`.
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
  type LeftOut,
  listOf,
  shownText,
} from './format.ts'

/** Fields of libraries and of files for fine-tuning beside the words of a message. */
const extras = [
  'annotations',
  'logprobs',
  'parsed',
  'provider_specific_fields',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking_blocks',
  'weight',
]

export const chat: Format = {
  expected: 'chat messages, such as [{"role":"user","content":"I moved to Porto."}] or {"messages":[…]}',
  isFirstValue: (value) =>
    isRoleMessage(value) || (isChat(value) && (value.messages.length === 0 || value.messages.some(isRoleMessage))),
  reader(options) {
    const numbers = new Map<string, number>()
    const numbered = (message: unknown, conversation: string) => {
      const number = (numbers.get(conversation) ?? 0) + 1
      numbers.set(conversation, number)
      return messageEntry(message, { conversation, number, options })
    }
    return function* ({ value, number }) {
      const fields = fieldsOf(value, 'the value', chat.expected)
      if (!('messages' in fields)) {
        yield entryAt('', () => numbered(fields, nameOf(fields.conversation) ?? conversationOf(options, '')))
        return
      }
      const suffix = number === 1 ? '' : `-${number}`
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

function messageEntry(given: unknown, place: MessagePlace): Omit<Entry, 'at'> | LeftOut {
  const { conversation, number, options } = place
  const message = withoutExtras(fieldsOf(given, 'the message', 'a chat message with its role and content'))
  const { at, isFileTime } = timeOf(message, options)
  const id = message.id ?? hash(['chat', conversation, number, { ...message, at: null } as Json])
  const name = message.name ?? (message.role === 'user' ? options.speaker : undefined)
  const named = { ...message, id, conversation, at, ...(name !== undefined && { name }) }
  const utterance = utteranceOfMessage(named, 0)
  const text = shownText(utterance.text, utterance.attachments ?? [])
  return text === null ? { leftOut: 'without a text' } : { input: { ...utterance, text }, isFileTime }
}

/**
 * The fields that are a part of the utterance: a dump of a library names every field, with null for the missing ones,
 * and some that are not words of the message.
 */
function withoutExtras({ function_call: call, audio, ...message }: Fields): Fields {
  const given = Object.entries(message).filter(([field, value]) => value !== null && !extras.includes(field))
  return {
    ...Object.fromEntries(given),
    ...(isFields(audio) && !isGiven(message.content) && { content: audio.transcript }),
    ...(isFields(call) && !isGiven(message.tool_calls) && { tool_calls: [{ function: call }] }),
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
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
