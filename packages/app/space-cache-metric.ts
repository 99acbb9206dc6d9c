/** A metric of recall's memory in this process. */
import { Gauge, type Registry } from 'prom-client'

export function addSpaceCacheMetric(registry: Registry, bytes: () => number): void {
  new Gauge({
    name: 'loomlog_space_cache_bytes',
    help: 'Memory of the spaces that are kept for recall, estimated.',
    registers: [registry],
    collect() {
      this.set(bytes())
    },
  })
}
