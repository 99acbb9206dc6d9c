/** The in-memory log for the contract's tests: the argument names a cluster of this process. */
import type { Adapter } from '@loomlog/log/contract'
import type { Log } from '@loomlog/log/port'
import { Cluster } from './cluster.ts'
import { MemoryLog } from './memory-log.ts'

const clusters = new Map<string, Cluster>()

/** The suite loads this module by its name. @public */
export function open(argument: string): Log {
  const cluster = clusters.get(argument) ?? new Cluster({ latencyMs: () => 0, writeOutcome: () => 'done' })
  clusters.set(argument, cluster)
  return new MemoryLog(cluster)
}

export const memoryAdapter: Adapter = {
  opener: import.meta.url,
  async fresh() {
    const argument = `cluster-${clusters.size}`
    return { argument, remove: async () => void clusters.delete(argument) }
  },
  features: { sessionMs: 500, settleMs: 5_000, erases: true },
}
