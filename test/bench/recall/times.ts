/** Times of repeated work. */
export interface Times {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  /** Processor time for one repetition, over all threads of this process. */
  readonly cpuMs: number
}

/**
 * Does the work `count` times, with `callers` in parallel.
 * @param prepare runs before each repetition and is not measured
 */
export async function measureTimes(
  count: number,
  work: () => Promise<unknown>,
  { callers = 1, prepare = async () => {} }: { readonly callers?: number; readonly prepare?: () => Promise<void> } = {},
): Promise<Times> {
  const times: number[] = []
  let cpuMs = 0
  let left = count
  async function call(): Promise<void> {
    while (left-- > 0) {
      await prepare()
      const cpu = process.cpuUsage()
      const startedAt = performance.now()
      await work()
      times.push(performance.now() - startedAt)
      const { user, system } = process.cpuUsage(cpu)
      // Several callers share the processor's time.
      cpuMs += (user + system) / 1_000 / callers
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), cpuMs: round(cpuMs / count) }
}

export function printTimes(name: string, times: Times): Times {
  const { p50Ms, p95Ms, p99Ms, cpuMs } = times
  console.log(`  ${name}: p50 ${p50Ms} ms, p95 ${p95Ms} ms, p99 ${p99Ms} ms; ${cpuMs} ms of the processor`)
  return times
}

function round(ms: number): number {
  return Number(ms.toPrecision(3))
}
