/** Calls `then` when the signal aborts, at once if it has aborted. */
export function whenAborted(signal: AbortSignal | undefined, then: () => Promise<unknown>): void {
  if (signal?.aborted) void then()
  else signal?.addEventListener('abort', () => void then(), { once: true })
}
