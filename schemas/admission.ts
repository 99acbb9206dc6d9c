/**
 * Admission: what the first stage does with a source event before its step sees it. The first record of an id wins; the same
 * one again is dropped; the same id with other content is parked, never overwritten. What is admitted gets the next seq of its
 * space. Deterministic, so that every derivation counts alike.
 */
import type { SourceEvent } from './events.ts'
import { hash, type Json, spaceKey } from './ids.ts'

export type Admission =
  | { readonly outcome: 'admitted'; readonly content: string }
  | { readonly outcome: 'duplicate' }
  | { readonly outcome: 'conflict' | 'invalid'; readonly reason: string }

/**
 * What makes two source events the same: all but when the log accepted them. A retry is the same whoever asks for it, and when; a
 * correction, whenever it is asked for.
 */
export function contentHash(event: SourceEvent): string {
  const { appendedAt: _, ...content } = untimed(event)
  return hash(content as unknown as Json)
}

function untimed(event: SourceEvent): SourceEvent {
  if (event.type === 'RetryRequested') return { ...event, at: 0, by: '' }
  return event.type === 'MemoryCorrected' || event.type === 'EvidenceRetracted' ? { ...event, at: 0 } : event
}

/**
 * @param key the record's key
 * @param handled the source events that this pipeline handles
 * @param seen the content hash that this id was first seen with in its space, or null
 */
export function admit(
  event: SourceEvent,
  key: string | null,
  handled: readonly string[],
  seen: string | null,
): Admission {
  // Else one key could name two spaces, and let one tenant write into another's.
  if (event.tenant.includes('/') || event.space.includes('/'))
    return { outcome: 'invalid', reason: `its tenant ${event.tenant} or its space ${event.space} holds a slash` }
  const expected = spaceKey(event.tenant, event.space)
  if (key !== expected)
    return { outcome: 'invalid', reason: `its key is ${key}, and its tenant and space say ${expected}` }
  if (!handled.includes(event.type)) return { outcome: 'invalid', reason: `nothing handles ${event.type} yet` }
  const content = contentHash(event)
  if (seen === null) return { outcome: 'admitted', content }
  if (seen === content) return { outcome: 'duplicate' }
  return { outcome: 'conflict', reason: `${event.id} is in the log already, with other content` }
}
