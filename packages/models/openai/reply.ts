/**
 * Reads the replies of an endpoint. They may be any JSON, or nothing at all, since proxies and servers differ: a part
 * of another type counts as missing. A reply that isn't a completion says nothing about the input, so it is an outage.
 */
import type { SpentTokens } from '../spending-limit.ts'
import { ModelUnavailable } from '../unavailable.ts'

export interface ChatReply {
  /** Null: the message has no text. */
  readonly text: string | null
  readonly isRefusal: boolean
  readonly finishReason: unknown
  readonly toolCalls: readonly ToolCall[]
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** As the model wrote it; it may be invalid JSON. */
  readonly input: string
}

type Fields = { readonly [field: string]: unknown }

/** @throws ModelUnavailable */
export function chatReply(name: string, reply: unknown): ChatReply {
  const choice = fieldsOf(listOf(fieldsOf(reply).choices)[0])
  if (typeof choice.message !== 'object' || choice.message === null)
    throw new ModelUnavailable(`${name} is unavailable: the reply is not a chat completion`)
  const { content, refusal, tool_calls } = fieldsOf(choice.message)
  return {
    text: textOf(content),
    isRefusal: Boolean(refusal),
    finishReason: choice.finish_reason,
    toolCalls: listOf(tool_calls).flatMap(toolCall),
  }
}

/** In the order of the texts; the endpoint may answer in another. @throws ModelUnavailable */
export function vectorsIn(name: string, reply: unknown): readonly number[][] {
  const entries = fieldsOf(reply).data
  if (!Array.isArray(entries) || !entries.every(isEmbedding))
    throw new ModelUnavailable(`${name} is unavailable: the reply holds no embeddings`)
  return entries.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding)
}

/** Null: the endpoint did not count the tokens. */
export function usageIn(reply: unknown): SpentTokens | null {
  const { prompt_tokens, completion_tokens } = fieldsOf(fieldsOf(reply).usage)
  if (!isCount(prompt_tokens)) return null
  return { inputTokens: prompt_tokens, outputTokens: isCount(completion_tokens) ? completion_tokens : 0 }
}

/** Some endpoints send a list of parts, of which those of the type `text` are the answer. */
function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content
  const texts = listOf(content).map((part) => {
    const { type, text } = fieldsOf(part)
    return type === 'text' && typeof text === 'string' ? text : ''
  })
  return texts.join('') || null
}

function toolCall(call: unknown): ToolCall[] {
  const { id, type, function: called } = fieldsOf(call)
  const { name, arguments: input = '' } = fieldsOf(called)
  if (type !== 'function' || typeof name !== 'string') return []
  return [{ id: String(id), name, input: typeof input === 'string' ? input : JSON.stringify(input) }]
}

function isEmbedding(entry: unknown): entry is { readonly index: number; readonly embedding: number[] } {
  return Array.isArray(fieldsOf(entry).embedding)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function fieldsOf(value: unknown): Fields {
  return (value ?? {}) as Fields
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
