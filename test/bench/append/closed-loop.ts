/**
 * Clients in a closed loop: each appends one record, waits until it is acknowledged, and appends the next. So both sides of a comparison
 * have the same number of records in flight, and batch them as their own pace allows.
 */

export interface LoopResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** @param append returns once record number `n` is durable */
export async function closedLoop(
  append: (n: number) => Promise<void>,
  { clients, size }: { readonly clients: number; readonly size: number },
): Promise<LoopResult> {
  const latencies: number[] = []
  let next = 0
  const startedAt = performance.now()
  async function client(): Promise<void> {
    while (next < size) {
      const n = next++
      const sentAt = performance.now()
      await append(n)
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - startedAt) / 1_000
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { perSecond: size / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}
