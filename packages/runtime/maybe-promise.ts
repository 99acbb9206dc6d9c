/**
 * A plain value where no wait is needed: most steps ask nothing, and a promise for each would cost more than the step.
 */
export type MaybePromise<T> = T | Promise<T>

/** Calls `end` once the work is done, also if it throws. */
export function thenAlways<T>(work: () => MaybePromise<T>, end: () => void): MaybePromise<T> {
  let done: MaybePromise<T> | null = null
  try {
    done = work()
    return done instanceof Promise ? done.finally(end) : done
  } finally {
    if (!(done instanceof Promise)) end()
  }
}
