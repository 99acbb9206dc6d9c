/**
 * An utterance in the form of a chat message (OpenAI): `{ role, content, name?, tool_calls?, tool_call_id? }`, with the
 * conversation and, if known, the id and the time. It becomes the input of `utteranceFrom`. Content parts that are no
 * text become attachments.
 */
import { formatValue } from '@loomlog/errors/invalid-input'
import type { Attachment } from '@loomlog/schemas/events'
import { InvalidField } from './utterance.ts'

type Fields = { readonly [field: string]: unknown }

const roles: { readonly [role: string]: string } = {
  user: 'human',
  assistant: 'agent',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
}
const fields = [
  'id',
  'conversation',
  'role',
  'content',
  'name',
  'refusal',
  'tool_calls',
  'tool_call_id',
  'at',
  'metadata',
]
/** Smaller numbers are seconds, as in `created` of a completion; others are milliseconds. */
const firstMs = 100_000_000_000

export function isMessage(input: unknown): input is Fields {
  return input !== null && typeof input === 'object' && ('content' in input || 'tool_calls' in input)
}

/** Whether the writer gave the time of the message or utterance. */
export function hasTime({ at }: Fields): boolean {
  return at !== undefined && at !== null
}

/** The utterance, with the time `now` if it has none. */
export function withTime(utterance: Fields, now: number): Fields {
  return hasTime(utterance) ? utterance : { ...utterance, at: new Date(now).toISOString() }
}

/** For `utteranceFrom`, which checks it. */
export interface UtteranceInput extends Fields {
  readonly text: string
  readonly attachments?: readonly Attachment[]
}

/**
 * @param now the time of a message without `at`
 * @throws InvalidField
 */
export function utteranceOfMessage(message: Fields, now: number): UtteranceInput {
  const unknown = Object.keys(message).find((field) => !fields.includes(field))
  if (unknown !== undefined)
    throw new InvalidField(unknown, `there is no field ${formatValue(unknown)}: expected some of ${fields.join(', ')}`)
  const { id, conversation, role, name, tool_call_id: call, metadata } = message
  if (typeof role !== 'string' || !Object.hasOwn(roles, role))
    throw new InvalidField('role', `role is ${formatValue(role)}: expected one of ${Object.keys(roles).join(', ')}`)
  const { texts, attachments } = contentOf(message)
  // Metadata that is no object stays as it is: `utteranceFrom` refuses it.
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)
  const hasCallLabel = call !== undefined && call !== null && (metadata === undefined || isObject)
  const labels = hasCallLabel ? { ...(metadata as object | undefined), tool_call_id: call } : metadata
  return {
    ...(id !== undefined && { id }),
    conversation,
    speaker: name ?? role,
    role: roles[role],
    at: hasTime(message) ? timeOf(message.at) : new Date(now).toISOString(),
    text: texts.join('\n'),
    ...(attachments.length > 0 && { attachments }),
    ...(labels !== undefined && { metadata: labels }),
  }
}

function contentOf({ content, refusal, tool_calls }: Fields) {
  const calls = tool_calls ?? []
  const parts = Array.isArray(content) ? content : content === null || content === undefined ? [] : [content]
  const texts: string[] = []
  const attachments: Attachment[] = []
  for (const [index, part] of parts.entries()) {
    const text = textOf(part)
    if (text !== null) texts.push(text)
    else attachments.push(attachmentOf(part, `content[${index}]`))
  }
  if (typeof refusal === 'string') texts.push(refusal)
  if (!Array.isArray(calls))
    throw new InvalidField('tool_calls', `tool_calls is ${formatValue(calls)}: expected a list`)
  texts.push(...calls.map((call, index) => callText(call, `tool_calls[${index}]`)))
  return { texts, attachments }
}

function textOf(part: unknown): string | null {
  if (typeof part === 'string') return part
  const { type, text, refusal } = (part ?? {}) as Fields
  if ((type === 'text' || type === 'input_text' || type === 'output_text') && typeof text === 'string') return text
  return type === 'refusal' && typeof refusal === 'string' ? refusal : null
}

/** Keeps the address of an attachment, but no bytes that the message itself holds. */
function attachmentOf(part: unknown, field: string): Attachment {
  const { type, image_url: image, file } = (part ?? {}) as Fields
  if (typeof type !== 'string' || type === 'text')
    throw new InvalidField('content', `${field} is ${formatValue(part)}: expected a text, or a part with its type`)
  const url = typeof image === 'object' && image !== null ? (image as Fields).url : image
  const name = (file as Fields | undefined)?.filename
  const uri = typeof url === 'string' && !url.startsWith('data:') ? url : null
  return { kind: type.replace(/_url$/, ''), description: typeof name === 'string' ? name : '', uri }
}

function callText(call: unknown, field: string): string {
  const { name, arguments: input } = ((call as Fields | null)?.function ?? {}) as Fields
  if (typeof name === 'string' && typeof input === 'string') return `${name}(${input})`
  throw new InvalidField('tool_calls', `${field} is ${formatValue(call)}: expected { function: { name, arguments } }`)
}

/** ISO 8601 is checked with the other fields of the utterance. */
function timeOf(at: unknown): unknown {
  if (typeof at !== 'number') return at
  const time = new Date(at < firstMs ? at * 1_000 : at)
  if (at >= 0 && !Number.isNaN(time.getTime()) && time.getUTCFullYear() < 10_000) return time.toISOString()
  throw new InvalidField('at', `at is ${formatValue(at)}: expected seconds or milliseconds since 1970, or ISO 8601`)
}
