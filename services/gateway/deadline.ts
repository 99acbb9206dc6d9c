/** Waits that end early: at a deadline, or when a signal aborts. The work itself may continue. */

interface Deadline {
  readonly ms: number
  /** Ends the wait earlier, with its reason. */
  readonly departure?: AbortSignal
  /** The error after `ms`. */
  error(): Error
}

/**
 * The result of the work, which gets a signal of the end of the wait.
 * @throws the deadline's error, or the reason of the departure
 */
export async function withDeadline<T>(
  { ms, departure, error }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // Not AbortSignal.any: Node keeps its signal while one of its sources lives and the work leaves a listener on it.
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(error()), ms)
  const leave = () => end.abort(departure?.reason)
  departure?.addEventListener('abort', leave, { once: true })
  if (departure?.aborted) leave()
  return await untilAborted(work(end.signal), end.signal).finally(() => {
    clearTimeout(timer)
    departure?.removeEventListener('abort', leave)
  })
}

/** The result of the work. @throws the signal's reason, if it aborts first */
export async function untilAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  working.catch(() => {})
  return await Promise.race([working, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
