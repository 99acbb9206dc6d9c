/**
 * Asks a model behind any OpenAI-compatible endpoint for one JSON value that fits a schema.
 *
 * 1. A returned value fits the schema.
 * 2. If an input has no valid answer (a second misfit, a refusal, an answer cut off at the length limit, an input that
 *    the endpoint refuses), the answer is `none`, with the reason.
 * 3. A temporary failure throws ModelUnavailable, and is never an answer.
 */

import type { JsonSchema } from '@loomlog/runtime/step'
import { canonicalJson, type Json } from '@loomlog/schemas/ids'
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources'
import { type ChatOptions, openChat } from './chat-completion.ts'
import type { CallOutcome, ModelCallOptions } from './connection.ts'
import { type ChatReply, chatReply, usageIn } from './reply.ts'
import { validate } from './validation.ts'

export interface ModelRequest extends ModelCallOptions {
  /** The system prompt. */
  readonly prompt: string
  /** Sent as the user's message, in canonical JSON. */
  readonly input: Json
  readonly schema: JsonSchema
  /** Letters, digits, `-` and `_`; at most 64. */
  readonly schemaName: string
}

interface Cost {
  /** How often the model was asked: 1 or 2. */
  readonly attempts: number
  /** As the endpoint counts them; 0 where it doesn't. */
  readonly inputTokens: number
  readonly outputTokens: number
}

export type ModelAnswer = Cost &
  (
    | { readonly kind: 'answer'; readonly value: Json }
    | { readonly kind: 'none'; readonly reason: string; readonly value: null }
  )

export interface ChatModel {
  /** The model without its host: `openai:gpt-4o-mini`. */
  readonly name: string
  /** @throws ModelUnavailable, or the signal's reason */
  answer(request: ModelRequest): Promise<ModelAnswer>
}

/** The ways to ask for a schema, best first. After a refusal the next one is tried. */
const forms = ['strict-schema', 'schema', 'json', 'plain'] as const
type Form = (typeof forms)[number]

const noTokens = { inputTokens: 0, outputTokens: 0 }

export function openAiModel(options: ChatOptions): ChatModel {
  const chat = openChat(options)
  const { name } = chat
  const accepted = new Map<string, number>()

  async function send(
    request: ModelRequest,
    messages: ChatCompletionMessageParam[],
  ): Promise<CallOutcome<ChatCompletion>> {
    for (let at = accepted.get(request.schemaName) ?? 0; ; at++) {
      const outcome = await chat.complete(bodyOf(request, messages, forms[at] ?? 'plain'), request)
      if (outcome.refusal === null) accepted.set(request.schemaName, at)
      if (outcome.refusal?.about !== 'format' || at >= forms.length - 1) return outcome
    }
  }

  return {
    name,
    async answer(request) {
      const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: canonicalJson(request.input) }]
      const cost = { attempts: 0, inputTokens: 0, outputTokens: 0 }
      while (true) {
        cost.attempts++
        const { refusal, reply } = await send(request, messages)
        if (refusal) return { kind: 'none', reason: refusal.reason, value: null, ...cost }
        const { inputTokens, outputTokens } = usageIn(reply) ?? noTokens
        cost.inputTokens += inputTokens
        cost.outputTokens += outputTokens
        const answer = chatReply(name, reply)
        const stopped = whyStopped(answer)
        if (stopped) return { kind: 'none', reason: stopped, value: null, ...cost }
        const result = validate(answer.text, request.schema)
        if ('value' in result) return { kind: 'answer', value: result.value, ...cost }
        if (cost.attempts === 2) {
          return { kind: 'none', reason: `no valid answer: ${result.problem}`, value: null, ...cost }
        }
        messages.push(...askAgain(answer.text ?? '', result.problem, request.schema))
      }
    },
  }
}

function bodyOf(
  request: ModelRequest,
  messages: readonly ChatCompletionMessageParam[],
  form: Form,
): Pick<ChatCompletionCreateParamsNonStreaming, 'messages' | 'response_format'> {
  const bySchema = form === 'strict-schema' || form === 'schema'
  const prompt = bySchema ? request.prompt : `${request.prompt}\n\n${inWords(request.schema)}`
  const schema = {
    name: request.schemaName,
    schema: { ...request.schema },
    ...(form === 'strict-schema' && { strict: true }),
  }
  return {
    messages: [{ role: 'system', content: prompt }, ...messages],
    ...(bySchema && { response_format: { type: 'json_schema', json_schema: schema } }),
    ...(form === 'json' && { response_format: { type: 'json_object' } }),
  }
}

function inWords(schema: JsonSchema): string {
  return `Answer with one JSON value and nothing else. It must fit this JSON Schema: ${canonicalJson(schema)}`
}

function askAgain(answer: string, wrong: string, schema: JsonSchema): ChatCompletionMessageParam[] {
  return [
    { role: 'assistant', content: answer },
    { role: 'user', content: `That answer is not valid: ${wrong}. ${inWords(schema)}` },
  ]
}

function whyStopped({ isRefusal, finishReason }: ChatReply): string | null {
  if (isRefusal) return 'the model refused'
  if (finishReason === 'content_filter') return 'a content filter stopped the answer'
  if (finishReason === 'length') return 'the answer was cut off at the length limit'
  return null
}
