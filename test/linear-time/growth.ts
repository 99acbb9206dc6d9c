/**
 * Tells linear from quadratic time by two lengths of a text: four times the text takes four times as long, or sixteen
 * times. Both times are of one machine, so a slow one fails no test; and of this thread, so other processes hardly
 * count.
 */

/** How much longer the long text is. */
export const lengthFactor = 4
/** Between four and sixteen. */
const maxGrowth = 9
/** Below this, the time is mostly noise. */
const leastMs = 20
const runs = 3

/** CPU time of this thread. */
export function threadMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / 1_000
}

export function leastMsOf(work: () => void): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.threadCpuUsage()
    work()
    return threadMs(before)
  })
  return Math.min(...times)
}

export function isQuadratic(shortMs: number, longMs: number): boolean {
  return longMs / Math.max(shortMs, leastMs) > maxGrowth
}
