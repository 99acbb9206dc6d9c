/**
 * Runs work once for all concurrent callers. No caller gets the result of a run that began before its call: callers
 * that come during a run share the next one. So at most one run is under way and one waits, for any number of callers.
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
