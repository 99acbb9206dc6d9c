/** Waits that a signal ends at once, with its reason. */

/** The longest delay of a timer. With a longer one it fires at once. */
const longestTimerMs = 2 ** 31 - 1

/** @throws the reason of the signal, at once when it aborts */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, longestTimerMs),
    )
    signal?.addEventListener('abort', stop, { once: true })
  })
}

interface TimeLimit {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** The reason after the time. */
  timeout(): Error
}

/**
 * Runs the work with a signal of its own, which aborts with the given one or after the time. The promise rejects at
 * once then, also if the work ignores the signal, as the `fetch` of another library may.
 */
export async function withTimeLimit<T>(
  { timeoutMs, signal, timeout }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const own = new AbortController()
  const stop = () => own.abort(signal?.reason)
  const timer = setTimeout(() => own.abort(timeout()), Math.min(timeoutMs, longestTimerMs))
  signal?.addEventListener('abort', stop, { once: true })
  const aborted = new Promise<never>((_, reject) => {
    own.signal.addEventListener('abort', () => reject(own.signal.reason), { once: true })
  })
  try {
    return await Promise.race([work(own.signal), aborted])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
