/**
 * The open batch of a space (Infini Memory, CURRENT): facts that are recorded and not yet consolidated. A batch holds
 * the facts of whole windows, and ends with a window: at a pause, by its size, or by the hash of its last fact. So a
 * replay cuts the same batches, and after a change batches soon end at the same places again.
 */

import { approximateTokens } from '@loomlog/language/tokens'
import { digestOf, isCut } from '@loomlog/runtime/content-cut'
import { append, takeAll } from '@loomlog/runtime/keyed-list'
import { type Effects, get, put } from '@loomlog/runtime/step'
import type { BatchEnd, WindowExtracted } from '@loomlog/schemas/events'
import { type Batch, batch, type Fact, waitingFacts, waitingPlaces } from './state.ts'

export type BatchParameters = {
  /** From this many facts on, the hash of the last fact's text may end the batch: one in `windowsPerCut` does. */
  readonly minBatchFacts: number
  /** A batch of this many facts, or tokens of their texts, ends with the window. */
  readonly maxBatchFacts: number
  readonly maxBatchTokens: number
  /** A window that ends with a pause ends a batch of at least this many facts. */
  readonly leastAtPause: number
}

/** Of the windows after which a batch is long enough, one in this many ends it. */
const windowsPerCut = 4

const empty: Batch = { next: 0, facts: 0, tokens: 0, digest: 0 }

export function* addToBatch(fact: Fact): Effects<void> {
  if ((yield* get(waitingPlaces, fact.id)) !== null) return
  const open = (yield* get(batch, '')) ?? empty
  const key = yield* append(waitingFacts, { list: '', place: open.next }, fact)
  yield* put(waitingPlaces, fact.id, key)
  yield* put(batch, '', {
    next: open.next + 1,
    facts: open.facts + 1,
    tokens: open.tokens + approximateTokens(fact.text),
    digest: digestOf(fact.text),
  })
}

/** Takes the fact out of the open batch; null: it isn't waiting. */
export function* takeFromBatch(fact: string): Effects<Fact | null> {
  const key = yield* get(waitingPlaces, fact)
  const open = yield* get(batch, '')
  const held = key === null ? null : yield* get(waitingFacts, key)
  if (key === null || open === null || held === null) return null
  yield* put(waitingFacts, key, null)
  yield* put(waitingPlaces, fact, null)
  yield* put(batch, '', { ...open, facts: open.facts - 1, tokens: open.tokens - approximateTokens(held.text) })
  return held
}

/** The reason why the batch ends with this window; null: it stays open. */
export function* batchEnd(window: WindowExtracted, parameters: BatchParameters): Effects<BatchEnd | null> {
  const { facts, tokens, digest } = (yield* get(batch, '')) ?? empty
  if (facts === 0) return null
  if (facts >= parameters.maxBatchFacts) return 'facts'
  if (tokens >= parameters.maxBatchTokens) return 'tokens'
  if (window.closedBy === 'pause' && facts >= parameters.leastAtPause) return 'pause'
  return facts >= parameters.minBatchFacts && isCut(digest, windowsPerCut) ? 'content' : null
}

/** Returns the facts of the open batch in order, and opens an empty one. */
export function* takeBatch(): Effects<readonly Fact[]> {
  const { facts } = (yield* get(batch, '')) ?? empty
  const held = yield* takeAll(waitingFacts, '', facts)
  for (const { id } of held) yield* put(waitingPlaces, id, null)
  yield* put(batch, '', null)
  return held
}
