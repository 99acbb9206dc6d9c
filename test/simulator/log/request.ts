/** A request to the in-memory log: it takes a while to arrive, and its reply takes a while to come back, or never comes. */
import { LoomlogError } from '@loomlog/errors'
import type { Cluster } from './cluster.ts'

/** One way between a handle and the log. */
export async function travelled({ options }: Cluster): Promise<void> {
  const latencyMs = options.latencyMs()
  if (latencyMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, latencyMs))
}

/** @throws LoomlogError `log-unavailable` where the fate of the write says so: before it had an effect, or after */
export async function performed<T>(cluster: Cluster, write: () => T): Promise<T> {
  const fate = cluster.options.fate()
  await travelled(cluster)
  if (fate === 'failed') throw new LoomlogError('log-unavailable', 'simulated: the write had no effect')
  const result = write()
  await travelled(cluster)
  if (fate === 'unknown') throw new LoomlogError('log-unavailable', 'simulated: the reply was lost')
  return result
}
