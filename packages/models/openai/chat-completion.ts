/** One chat completion within the limits of tokens and money. */
import type { Json } from '@loomlog/schemas/ids'
import { inModelSpan } from '@loomlog/telemetry/model-span'
import type { ChatCompletion, ChatCompletionCreateParamsNonStreaming } from 'openai/resources'
import type { SpendingLimit, SpentTokens } from '../spending-limit.ts'
import { type CallOutcome, type ConnectionOptions, connect, type ModelCallOptions } from './connection.ts'
import { estimatedTokens, type Send, withinSpending } from './spending-call.ts'

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
    caller: ModelCallOptions,
  ): Promise<CallOutcome<ChatCompletion>>
}

/** Estimate of a call's answer, until the endpoint counts its tokens. */
const usualOutputTokens = 200

export function openChat({ spending, model, parameters, ...options }: ChatOptions): Chat {
  const name = `openai:${model}`
  const { baseUrl } = options
  const connection = connect(name, options)
  return {
    name,
    complete(content, caller) {
      const body = { ...parameters, model, ...content }
      const send: Send<ChatCompletion> = async (client, within) =>
        inModelSpan({ operation: 'chat', model, baseUrl }, async () => {
          caller.onCall?.()
          return await client.chat.completions.create(body, within)
        })
      const { isRecorded = false } = caller
      return connection.call(
        withinSpending(spending, { model: name, estimate: estimateOf(body), isRecorded }, send),
        caller,
      )
    },
  }
}

function estimateOf(body: object): SpentTokens {
  return {
    inputTokens: estimatedTokens(JSON.stringify(body).length),
    outputTokens: usualOutputTokens,
  }
}
