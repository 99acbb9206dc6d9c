/** Calls `then` when the signal aborts, at once if it has aborted. Returns the function that removes the listener. */
export function whenAborted(signal: AbortSignal | undefined, then: () => Promise<unknown>): () => void {
  const listener = () => void then()
  if (signal?.aborted) listener()
  else signal?.addEventListener('abort', listener, { once: true })
  return () => signal?.removeEventListener('abort', listener)
}
