/**
 * Runs work once for all callers that come at the same time. No caller gets the result of work that began before the call: callers that come
 * during a run share the next one. So at most two runs are wanted at any time, however many callers there are.
 */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  let next: Promise<T> | null = null
  const run = () => {
    next = null
    const started = work().finally(() => {
      if (running === started) running = null
    })
    running = started
    return started
  }
  return () => {
    // A caller that comes between two runs shares the next one.
    if (running === null) return next ?? run()
    next ??= running.then(run, run)
    return next
  }
}
