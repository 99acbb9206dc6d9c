/**
 * Waits for work, but no longer than the signal allows; the work itself goes on, and what becomes of it is nobody's business then.
 * So a part that is slow to stop never holds up the handing over of a lease.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
