/** The end of a live reply whose key or token ends: its signal aborts with the refusal, which the reader gets. */
import { AccessRefused } from '@loomlog/access/access-refused'

/** Null: the signal hasn't aborted, or for another reason. */
export function credentialEnd({ reason }: AbortSignal): AccessRefused | null {
  return reason instanceof AccessRefused ? reason : null
}

/** @throws AccessRefused */
export function refuseEndedCredential(signal: AbortSignal): void {
  const refusal = credentialEnd(signal)
  if (refusal !== null) throw refusal
}
