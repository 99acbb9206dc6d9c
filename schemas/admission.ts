/**
 * Admission of source events, before the first stage's step. The first record of an id is admitted and gets the next
 * seq of its space. A duplicate is dropped. The same id with other content is parked, never overwritten. Deterministic,
 * so that every derivation counts alike.
 */
import type { SourceEvent } from './events.ts'
import { hash, type Json, spaceKey } from './ids.ts'

export type Admission =
  | { readonly outcome: 'admitted'; readonly content: string }
  | { readonly outcome: 'duplicate' }
  | { readonly outcome: 'conflict' | 'invalid'; readonly reason: string }

/**
 * The content that identifies a source event: all fields except the time of the log and the key that brought it, which
 * may differ in a retry. A repeated retry of a parked input ignores its author and time too, a correction its time, and
 * an utterance the time that its writer didn't give. The hash of an utterance with its time is that of logs without the
 * field `isTimeGiven`.
 */
export function contentHash(event: SourceEvent): string {
  // An undefined field is no part of the hash; a copy without the field takes five times as long.
  return hash({
    ...event,
    ...ignored(event),
    appendedAt: undefined,
    principal: undefined,
    canInstruct: undefined,
  } as unknown as Json)
}

/** The fields that are no part of the content. */
function ignored(event: SourceEvent): object | null {
  switch (event.type) {
    case 'UtteranceAppended':
      return event.isTimeGiven ? { isTimeGiven: undefined } : { at: null }
    case 'RetryRequested':
      return { at: 0, by: '' }
    case 'MemoryCorrected':
      // Logs without the field `from` have the hash of a correction without it.
      return { at: 0, from: event.from ?? undefined }
    case 'EvidenceRetracted':
      return { at: 0 }
    default:
      return null
  }
}

/**
 * @param key the record's key
 * @param handled the source events that this pipeline handles
 * @param seen the content hash of this id's first record in the space, or null
 */
export function admit(
  event: SourceEvent,
  key: string | null,
  handled: readonly string[],
  seen: string | null,
): Admission {
  // Else one key could name two spaces, and one tenant could write into another's.
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
