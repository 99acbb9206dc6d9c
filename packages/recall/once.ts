/**
 * Runs the work at the first call, and returns the same result to all others. A failure is not kept: the next call
 * tries again.
 */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= work().catch((error: unknown) => {
      running = null
      throw error
    })
    return running
  }
}
