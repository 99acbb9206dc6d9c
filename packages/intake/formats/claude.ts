/**
 * The export of Claude, `conversations.json`: a list of conversations with `chat_messages`. The text of an attachment
 * becomes its description, cut where it is too long for one. Left out: thinking, and the blocks of tools.
 */
import { invalidInput } from '@loomlog/errors/invalid-input'
import {
  type Entry,
  type EntryResult,
  entryAt,
  type Fields,
  type Format,
  fieldsOf,
  isFields,
  type LeftOut,
  listOf,
  shownText,
} from './format.ts'

const roles: { readonly [sender: string]: string } = { human: 'human', assistant: 'agent' }
/** Characters of the attachments of one message: three bytes each stay within an utterance. */
const maxChars = 60_000
/** Characters of one description, which has at most 65,536 bytes. */
const maxDescriptionChars = 20_000

export const claude: Format = {
  expected: 'the conversations.json of an export of Claude',
  isFirstValue: ({ chat_messages: messages }) => Array.isArray(messages),
  reader: ({ speaker }) =>
    function* ({ value }) {
      const conversation = fieldsOf(value, 'the conversation')
      const messages = listOf(conversation.chat_messages, 'chat_messages')
      for (const [at, message] of messages.entries()) yield* messageEntries(message, { conversation, at, speaker })
    },
}

interface MessagePlace {
  readonly conversation: Fields
  readonly at: number
  readonly speaker: string
}

function* messageEntries(given: unknown, { conversation, at, speaker }: MessagePlace): Iterable<EntryResult> {
  yield entryAt(`chat_messages[${at}]`, () => messageEntry(fieldsOf(given, 'the message'), conversation, speaker))
  if (!isFields(given)) return
  for (const { isCut } of filesOf(given)) if (isCut) yield { leftOut: 'the rest of a long attachment' }
  for (const { type } of blocksOf(given)) if (type !== 'text') yield { leftOut: leftOutBlock(type) }
}

function leftOutBlock(type: unknown): string {
  if (type === 'thinking') return 'thinking'
  return type === 'tool_use' || type === 'tool_result' ? 'a block of a tool' : 'a block that is no text'
}

function messageEntry(message: Fields, conversation: Fields, person: string): Omit<Entry, 'at'> | LeftOut {
  const { uuid, sender, created_at: at } = message
  if (typeof sender !== 'string' || !Object.hasOwn(roles, sender))
    throw invalidInput('sender', sender, `one of ${Object.keys(roles).join(', ')}`)
  const attachments = filesOf(message).map(({ isCut: _, ...attachment }) => attachment)
  const text = textOf(message)
  const shown = shownText(text, attachments)
  if (shown === null) return { leftOut: 'without a text' }
  const { uuid: id } = conversation
  if (typeof id !== 'string') throw invalidInput('uuid', id, 'the id of the conversation')
  return {
    input: {
      id: uuid,
      conversation: id,
      speaker: sender === 'human' ? person : 'Claude',
      role: roles[sender],
      at,
      text: shown,
      attachments,
      metadata: { source: 'claude' },
    },
  }
}

/** The text blocks of newer exports; `text` alone in older ones. In newer ones `text` has notices of the tools too. */
function textOf({ content, text }: Fields): string {
  const blocks = blocksOf({ content })
  const texts = blocks.filter(({ type }) => type === 'text').map((block) => String(block.text ?? ''))
  if (texts.some((each) => each.trim() !== '')) return texts.join('\n').trim()
  if (blocks.length > 0) return ''
  if (text !== undefined && typeof text !== 'string') throw invalidInput('text', text, 'a text')
  return (text ?? '').trim()
}

function blocksOf({ content }: Fields): readonly Fields[] {
  return Array.isArray(content) ? content.filter(isFields) : []
}

interface AttachedFile {
  readonly kind: string
  readonly description: string
  readonly isCut: boolean
}

function filesOf({ attachments, files }: Fields): readonly AttachedFile[] {
  let left = maxChars
  return [attachments, files]
    .flatMap((list) => (Array.isArray(list) ? list.filter(isFields) : []))
    .map((file) => {
      const { file_name: name, extracted_content: content } = file
      const words = [name, content].filter((each) => typeof each === 'string' && each !== '').join(': ')
      const description = words.slice(0, Math.min(maxDescriptionChars, left)).toWellFormed()
      left -= description.length
      return { kind: 'file', description, isCut: description.length < words.length }
    })
}
