/**
 * A model with tools at any OpenAI-compatible endpoint. In each turn it answers or calls tools, and gets their results
 * with the next turn. The caller chooses the tools, and when to end.
 */
import type { JsonSchema } from '@loomlog/runtime/step'
import type { ChatCompletionMessageParam } from 'openai/resources'
import { type ChatOptions, openChat } from './chat-completion.ts'
import { chatReply, type ToolCall, usageIn } from './reply.ts'

export type { ToolCall } from './reply.ts'

export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly input: JsonSchema
}

export type TurnMessage =
  | { readonly from: 'user'; readonly text: string }
  | { readonly from: 'model'; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly from: 'tool'; readonly call: string; readonly text: string }

export interface Turn {
  readonly text: string
  /** Empty: the model is done. */
  readonly calls: readonly ToolCall[]
  /** As the endpoint counts them; 0 where it doesn't. */
  readonly tokens: number
}

export interface ToolModel {
  readonly name: string
  /** @throws ModelUnavailable, or the signal's reason */
  turn(request: {
    readonly prompt: string
    readonly messages: readonly TurnMessage[]
    readonly tools: readonly ToolSpec[]
    readonly signal: AbortSignal
  }): Promise<Turn>
}

export function openAiToolModel(options: ChatOptions): ToolModel {
  const chat = openChat(options)
  const { name } = chat
  return {
    name,
    async turn({ prompt, messages, tools, signal }) {
      const body = {
        messages: [{ role: 'system', content: prompt } as const, ...messages.map(sent)],
        tools: tools.map(({ name, description, input }) => ({
          type: 'function' as const,
          function: { name, description, parameters: { ...input } },
        })),
      }
      const { refusal, reply } = await chat.complete(body, { signal })
      if (refusal) return { text: refusal.reason, calls: [], tokens: 0 }
      const { text, toolCalls } = chatReply(name, reply)
      const { inputTokens = 0, outputTokens = 0 } = usageIn(reply) ?? {}
      return { text: text ?? '', calls: toolCalls, tokens: inputTokens + outputTokens }
    },
  }
}

function sent(message: TurnMessage): ChatCompletionMessageParam {
  if (message.from === 'user') return { role: 'user', content: message.text }
  if (message.from === 'tool') return { role: 'tool', tool_call_id: message.call, content: message.text }
  const calls = message.calls.map(({ id, name, input }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: input },
  }))
  return { role: 'assistant', content: message.text, ...(calls.length > 0 && { tool_calls: calls }) }
}
