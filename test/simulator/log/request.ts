/** A request to the in-memory log: it arrives after a latency, and its reply takes a latency, too, or never arrives. */
import { LoomlogError } from '@loomlog/errors'
import type { Cluster } from './cluster.ts'

/** Waits for the latency of one direction between a handle and the log. */
export async function awaitLatency({ options }: Cluster): Promise<void> {
  const latencyMs = options.latencyMs()
  if (latencyMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, latencyMs))
}

/**
 * @throws LoomlogError `log-unavailable` if the write's outcome is `failed` (no effect) or `unknown` (the reply is
 * lost)
 */
export async function performWrite<T>(cluster: Cluster, write: () => T): Promise<T> {
  const outcome = cluster.options.writeOutcome()
  await awaitLatency(cluster)
  if (outcome === 'failed') throw new LoomlogError('log-unavailable', 'simulated: the write had no effect')
  const result = write()
  await awaitLatency(cluster)
  if (outcome === 'unknown') throw new LoomlogError('log-unavailable', 'simulated: the reply was lost')
  return result
}
