/**
 * A request within the limits of tokens and money, for chat and embeddings. It reserves its estimate once it holds a
 * slot, since a call that waits in the queue spends nothing. The endpoint's count, if it has one, replaces the
 * estimate.
 */
import type OpenAI from 'openai'
import type { LimitedCall, SpendingLimit, SpentTokens } from '../spending-limit.ts'
import { isUnbilled } from './failed-call.ts'
import { usageIn } from './reply.ts'

export type Send<Reply> = (client: OpenAI, within: { readonly signal: AbortSignal | undefined }) => Promise<Reply>

const charactersPerToken = 4

/** @param spending undefined: no limit */
export function withinSpending<Reply>(
  spending: SpendingLimit | undefined,
  call: Omit<LimitedCall, 'isUnbilled'>,
  send: Send<Reply>,
): Send<Reply> {
  if (spending === undefined) return send
  return async (client, within) => {
    let sentAt = Number.NEGATIVE_INFINITY
    const limited = { ...call, isUnbilled: (error: unknown) => isUnbilled(error, performance.now() - sentAt) }
    const { reply } = await spending.run(limited, async () => {
      sentAt = performance.now()
      return countedIn(await send(client, within), call.estimate)
    })
    return reply
  }
}

export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

/** The tokens of a reply: the endpoint's count, or else the estimate. */
function countedIn<Reply>(reply: Reply, estimate: SpentTokens) {
  return { reply, ...(usageIn(reply) ?? estimate) }
}
