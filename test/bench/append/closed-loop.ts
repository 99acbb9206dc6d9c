/**
 * Clients in a closed loop: each appends one record, waits until it is acknowledged, and appends the next. So both
 * sides of a comparison have the same number of records in flight, and form their own batches.
 */

export interface LoopResult {
  readonly count: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** @param append returns once record number `n` is durable */
export async function runClosedLoop(
  append: (n: number) => Promise<void>,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<LoopResult> {
  const latencies: number[] = []
  let next = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  async function client(): Promise<void> {
    for (let sentAt = performance.now(); sentAt < endsAt; ) {
      await append(next++)
      const doneAt = performance.now()
      latencies.push(doneAt - sentAt)
      sentAt = doneAt
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const took = (performance.now() - startedAt) / 1_000
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { count: next, perSecond: next / took, p50Ms: at(0.5), p99Ms: at(0.99) }
}
