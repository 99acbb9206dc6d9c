/**
 * Runs work once for all callers that come at the same time. No caller gets the result of work that began before the call: callers that come
 * during a run share the next one. So at most two runs are wanted at any time, however many callers there are.
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  let next: Promise<T> | null = null
  const run = () => {
    next = null
    running = work().finally(() => {
      running = null
    })
    return running
  }
  return () => {
    if (running === null) return run()
    next ??= running.then(run, run)
    return next
  }
}
