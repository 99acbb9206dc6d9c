/** Makes the fake endpoint's reply to a request in the format of the API, with its token usage. */
import { canonicalJson, type Json } from '@loomlog/schemas/ids'
import { fakeAnswer, fakeVector } from './answers.ts'
import { applyFault, type Fault } from './faults.ts'

export interface FakeRequest {
  readonly model: string
  readonly prompt: string
  readonly input: Json
  /** Null where the request names none. */
  readonly schema: { readonly [key: string]: Json } | null
  readonly schemaName: string | null
  /** 1 for a first try, 2 for a second one after an answer that didn't fit. */
  readonly attempt: number
  /** The whole body, as it was sent. */
  readonly body: Json
}

/** The part of a request's body that the fake reads. */
export interface RequestBody {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly input: string | readonly string[]
  readonly tools?: readonly object[]
  readonly response_format?: {
    readonly json_schema?: { readonly name: string; readonly schema: FakeRequest['schema'] }
  }
}

interface Reply {
  readonly reply: Json
  readonly inputTokens: number
  readonly outputTokens: number
}

export type AnswerFor = (request: FakeRequest) => Json

export function chatReply(body: RequestBody, fault: Fault, answerFor: AnswerFor | undefined): Reply {
  const request = readChat(body)
  const answer = answerFor ? answerFor(request) : fakeAnswer(request.schema ?? { type: 'object' }, request.input)
  const choice = body.tools === undefined ? applyFault(fault, canonicalJson(answer)) : toolCalls(answer)
  const inputTokens = tokens(JSON.stringify(body.messages))
  const outputTokens = tokens(choice.message.content ?? choice.message.refusal ?? '')
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
  const reply = { id: 'fake-completion', object: 'chat.completion', created: 0, model: body.model, usage }
  return { reply: { ...reply, choices: [{ ...choice }] }, inputTokens, outputTokens }
}

/** For a request with tools, the answer is a list of `{ name, input }`: an empty one means that the model is done. */
function toolCalls(answer: Json) {
  const asked = (Array.isArray(answer) ? answer : []) as readonly { readonly name: string; readonly input: Json }[]
  const calls = asked.map(({ name, input }, index) => {
    const text = typeof input === 'string' ? input : JSON.stringify(input)
    return { id: `fake-call-${index}`, type: 'function', function: { name, arguments: text } }
  })
  const message = {
    role: 'assistant',
    content: '',
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  } as const
  return { index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' } as const
}

export function embeddingsReply(body: RequestBody, dimensions: number): Reply & { readonly texts: number } {
  const texts = typeof body.input === 'string' ? [body.input] : body.input
  const inputTokens = tokens(texts.join(''))
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: fakeVector(text, dimensions) }))
  const usage = { prompt_tokens: inputTokens, total_tokens: inputTokens }
  // In reverse: the API promises no order, so clients must sort by the index.
  const reply = { object: 'list', model: body.model, data: data.toReversed(), usage }
  return { reply, inputTokens, outputTokens: 0, texts: texts.length }
}

function readChat(body: RequestBody): FakeRequest {
  const asked = body.messages.filter((message) => message.role === 'user')
  const named = body.response_format?.json_schema
  return {
    model: body.model,
    prompt: body.messages.find((message) => message.role === 'system')?.content ?? '',
    input: jsonOr(asked[0]?.content ?? ''),
    schema: named?.schema ?? null,
    schemaName: named?.name ?? null,
    attempt: asked.length,
    body: JSON.parse(JSON.stringify(body)),
  }
}

/** Other clients may send plain text. */
function jsonOr(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A token is four characters here. */
function tokens(text: string): number {
  return Math.ceil(text.length / 4)
}
