/**
 * The open batch of a space (Infini Memory, CURRENT): facts that are recorded and not yet consolidated. A batch holds the facts of whole
 * windows, and ends with a window: at a pause, by its size, or by the content of its last fact. So a replay cuts the same batches, and
 * batches fall back into step behind a change.
 */

import { approximateTokens } from '@loomlog/language/tokens'
import { type Effects, get, put, range } from '@loomlog/runtime/step'
import type { BatchEnd, WindowExtracted } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { type Batch, batch, type Fact, waiting, waitingAt } from './state.ts'

export type BatchParameters = {
  /** A batch of at least this many facts ends by the content of its last fact: one in `contentSpread` does. */
  readonly minBatchFacts: number
  /** A batch of this many facts, or tokens of their texts, ends with the window. */
  readonly maxBatchFacts: number
  readonly maxBatchTokens: number
  /** A window that ends with a pause ends a batch of at least this many facts. */
  readonly leastAtPause: number
}

/** One fact in this many ends a batch. */
const contentSpread = 4
/** More than a batch ever holds: a window has 64 facts at most. */
const maxWaiting = 1_000

const empty: Batch = { next: 0, facts: 0, tokens: 0, digest: 0 }

export function* addToBatch(fact: Fact): Effects<void> {
  if ((yield* get(waitingAt, fact.id)) !== null) return
  const open = (yield* get(batch, '')) ?? empty
  const key = String(open.next).padStart(8, '0')
  yield* put(waiting, key, fact)
  yield* put(waitingAt, fact.id, key)
  yield* put(batch, '', {
    next: open.next + 1,
    facts: open.facts + 1,
    tokens: open.tokens + approximateTokens(fact.text),
    digest: Number.parseInt(hash(fact.text).slice(0, 8), 16),
  })
}

/** @returns whether the fact was waiting */
export function* dropFromBatch(fact: string): Effects<boolean> {
  const key = yield* get(waitingAt, fact)
  const open = yield* get(batch, '')
  const held = key === null ? null : yield* get(waiting, key)
  if (key === null || open === null || held === null) return false
  yield* put(waiting, key, null)
  yield* put(waitingAt, fact, null)
  yield* put(batch, '', { ...open, facts: open.facts - 1, tokens: open.tokens - approximateTokens(held.text) })
  return true
}

/** The reason why the batch ends with this window; null: it stays open. */
export function* batchEnd(window: WindowExtracted, parameters: BatchParameters): Effects<BatchEnd | null> {
  const { facts, tokens, digest } = (yield* get(batch, '')) ?? empty
  if (facts === 0) return null
  if (facts >= parameters.maxBatchFacts) return 'facts'
  if (tokens >= parameters.maxBatchTokens) return 'tokens'
  if (window.closedBy === 'pause' && facts >= parameters.leastAtPause) return 'pause'
  return facts >= parameters.minBatchFacts && digest % contentSpread === 0 ? 'content' : null
}

/** The facts in order; the next batch is empty. */
export function* takeBatch(): Effects<readonly Fact[]> {
  const held = yield* range(waiting, '', maxWaiting)
  for (const [key, fact] of held) {
    yield* put(waiting, key, null)
    yield* put(waitingAt, fact.id, null)
  }
  yield* put(batch, '', null)
  return held.map(([, fact]) => fact)
}
