/** Waits that end with a signal. No race with a long-lived promise: it would keep every race in memory. */

/** The result of `work`, or null as soon as the signal aborts. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null
  const aborted = Promise.withResolvers<null>()
  const onAbort = () => aborted.resolve(null)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
