/** Metrics of the memory that caches hold in this process. It grows with use up to their limits, unlike a leak. */
import { lanceCacheBytes } from '@loomlog/views/lancedb'
import { Gauge, type Registry } from 'prom-client'

/** @param spaceBytes of the spaces that recall has searched */
export function addCacheMetrics(registry: Registry, spaceBytes: () => number): void {
  new Gauge({
    name: 'loomlog_space_cache_bytes',
    help: 'Memory of the spaces that are kept for recall, estimated.',
    registers: [registry],
    collect() {
      this.set(spaceBytes())
    },
  })
  new Gauge({
    name: 'loomlog_view_cache_bytes',
    help: "Memory of LanceDB's caches of indexes and metadata, estimated by LanceDB.",
    labelNames: ['of'],
    registers: [registry],
    collect() {
      for (const [of, bytes] of Object.entries(lanceCacheBytes())) this.set({ of }, bytes)
    },
  })
}
