/**
 * A request within the limits of tokens and money, for chat and embeddings. It reserves its estimate once it holds a slot, since a call that
 * waits in the queue spends nothing; the endpoint's count, if it has one, replaces the estimate.
 */
import type OpenAI from 'openai'
import type { LimitedCall, SpendingLimit, SpentTokens } from '../spending-limit.ts'

export type Send<Reply> = (client: OpenAI, within: { readonly signal: AbortSignal | undefined }) => Promise<Reply>

interface WithUsage {
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens?: number } | undefined
}

const charactersPerToken = 4

/** @param spending undefined: no limit */
export function withinSpending<Reply extends WithUsage>(
  spending: SpendingLimit | undefined,
  call: LimitedCall,
  send: Send<Reply>,
): Send<Reply> {
  if (spending === undefined) return send
  return async (client, within) =>
    (await spending.run(call, async () => countedIn(await send(client, within), call.estimate))).reply
}

export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

/** Endpoints need not count, and a proxy's reply may be anything: the estimate counts then. */
function countedIn<Reply extends WithUsage>(reply: Reply, estimate: SpentTokens) {
  const { usage } = (reply ?? {}) as WithUsage
  if (!usage) return { reply, ...estimate }
  return { reply, inputTokens: usage.prompt_tokens ?? 0, outputTokens: usage.completion_tokens ?? 0 }
}
