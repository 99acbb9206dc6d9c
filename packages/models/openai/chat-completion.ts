/**
 * One chat completion within the limits of tokens and money. A call reserves its estimate once it holds a slot, since a call that waits in
 * the queue spends nothing; the endpoint's count replaces the estimate.
 */
import type { Json } from '@loomlog/schemas/ids'
import { inModelSpan } from '@loomlog/traces/model-span'
import type OpenAI from 'openai'
import type { ChatCompletion, ChatCompletionCreateParamsNonStreaming } from 'openai/resources'
import type { SpendingLimit, Spent } from '../spending-limit.ts'
import { type ConnectionOptions, connect, type ModelCaller, type Outcome } from './connection.ts'

export interface ChatOptions extends ConnectionOptions {
  readonly model: string
  /** More of the request's body: temperature, seed, max_completion_tokens… */
  readonly parameters?: { readonly [name: string]: Json }
  /** Default: no limit. */
  readonly spending?: SpendingLimit
}

interface Chat {
  /** The model without its host: `openai:gpt-4o-mini`. */
  readonly name: string
  /** @throws ModelUnavailable, also if a limit is reached; or the signal's reason */
  complete(
    body: Pick<ChatCompletionCreateParamsNonStreaming, 'messages' | 'tools' | 'response_format'>,
    caller: ModelCaller,
  ): Promise<Outcome<ChatCompletion>>
}

/** Estimates for a call, until the endpoint counts its tokens. */
const charactersPerToken = 4
const usualOutputTokens = 200

export function chatOf({ spending, model, parameters, ...options }: ChatOptions): Chat {
  const name = `openai:${model}`
  const { baseUrl } = options
  const connection = connect(name, options)
  return {
    name,
    complete(content, caller) {
      const body = { ...parameters, model, ...content }
      const send = async (client: OpenAI, within: { readonly signal: AbortSignal | undefined }) =>
        inModelSpan({ operation: 'chat', model, baseUrl }, async () => client.chat.completions.create(body, within))
      if (spending === undefined) return connection.call(send, caller)
      const { isRecorded = false } = caller
      const limited: typeof send = async (client, within) => {
        const call = { model: name, estimate: estimateOf(body), isRecorded }
        return (await spending.run(call, async () => spentBy(await send(client, within)))).reply
      }
      return connection.call(limited, caller)
    },
  }
}

function estimateOf(body: object): Spent {
  return {
    inputTokens: Math.ceil(JSON.stringify(body).length / charactersPerToken),
    outputTokens: usualOutputTokens,
  }
}

function spentBy(reply: ChatCompletion) {
  const { usage } = reply as Partial<ChatCompletion>
  return { reply, inputTokens: usage?.prompt_tokens ?? 0, outputTokens: usage?.completion_tokens ?? 0 }
}
