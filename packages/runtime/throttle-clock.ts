/** The clock of the background throttle. Tests inject one that they advance themselves. */

export interface ThrottleClock {
  /** In ms; never goes back. */
  now(): number
  /**
   * Calls `run` once, after a delay of `ms`.
   * @param options `hold: 'nothing'` lets the process end before
   * @returns a function that cancels the call
   */
  after(ms: number, run: () => void, options?: { readonly hold: 'process' | 'nothing' }): () => void
}

export const systemClock: ThrottleClock = {
  now: () => performance.now(),
  after(ms, run, { hold } = { hold: 'process' }) {
    const timer = setTimeout(run, ms)
    if (hold === 'nothing') timer.unref()
    return () => clearTimeout(timer)
  },
}
