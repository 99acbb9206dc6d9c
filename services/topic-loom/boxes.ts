/** Cuts decided utterances into boxes: at every opening, and where a box is full. */
import type { Cut } from '@loomlog/schemas/events'
import type { PendingUtterance } from './state.ts'

export type Box = { readonly pending: readonly PendingUtterance[]; readonly cut: Cut }

type Limits = { readonly maxUtterances: number; readonly maxTokens: number }

/** The boxes whose end is decided, and the rest: the open box, and the utterances that wait. */
export function completeBoxes(
  pending: readonly PendingUtterance[],
  limits: Limits,
): { readonly boxes: readonly Box[]; readonly rest: readonly PendingUtterance[] } {
  const boxes: Box[] = []
  let from = 0
  let tokens = 0
  for (const [at, next] of pending.entries()) {
    if (next.opening === null) break
    const cut = at === from ? null : cutBefore(next, { count: at - from, tokens }, limits)
    if (cut !== null) {
      boxes.push({ pending: pending.slice(from, at), cut })
      from = at
      tokens = 0
    }
    tokens += next.tokens
  }
  return { boxes, rest: pending.slice(from) }
}

function cutBefore(
  next: PendingUtterance,
  box: { readonly count: number; readonly tokens: number },
  { maxUtterances, maxTokens }: Limits,
): Cut | null {
  if (next.opening?.opens) return 'shift'
  if (box.count >= maxUtterances) return 'size'
  return box.tokens + next.tokens > maxTokens ? 'tokens' : null
}
