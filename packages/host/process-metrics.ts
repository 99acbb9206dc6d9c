/** Metrics of a process, read when they are scraped: its conditions, its leases with their lag, and the defaults of prom-client. */
import type { Log } from '@loomlog/log/port'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Conditions } from './conditions.ts'
import type { LeaseProgress } from './lease-progress.ts'

export interface ProcessMetricsOptions {
  readonly conditions: Pick<Conditions, 'current'>
  /** Null while the log is not open yet. */
  leases(): { readonly log: Pick<Log, 'endOffsets'>; readonly progress: LeaseProgress } | null
}

/** Longest reason in a label. */
const maxReasonChars = 160

export function processMetrics({ conditions, leases }: ProcessMetricsOptions): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  new Gauge({
    name: 'loomlog_condition_seconds',
    help: 'Seconds since the beginning of a lasting condition: an outage, or a paused, slow, frozen, behind or stalled stage.',
    labelNames: ['kind', 'subject', 'reason'],
    registers,
    collect() {
      this.reset()
      for (const [name, { reason, since }] of conditions.current)
        this.set({ ...kindOf(name), reason: labelOf(reason) }, (Date.now() - since) / 1_000)
    },
  })
  const lag = new Gauge({
    name: 'loomlog_lease_lag_records',
    help: 'Offsets of a partition that this process holds and has not finished.',
    labelNames: ['group', 'topic', 'partition'],
    registers,
    async collect() {
      const held = leases()
      // While the log is away there are no samples; the condition `log` says so.
      const found = held === null ? [] : await held.progress.leases(held.log).catch(() => [])
      this.reset()
      behind.reset()
      for (const { group, topic, partition, position, end, behindMs } of found) {
        lag.set({ group, topic, partition }, Math.max(0, end - position))
        behind.set({ group, topic, partition }, behindMs / 1_000)
      }
    },
  })
  const behind = new Gauge({
    name: 'loomlog_lease_behind_seconds',
    help: 'For how long a partition that this process holds has not reached an end that it had.',
    labelNames: ['group', 'topic', 'partition'],
    registers,
  })
  return registry
}

/** `paused topic-loom.3f…` is of the kind `paused`. */
function kindOf(name: string): { readonly kind: string; readonly subject: string } {
  const [kind = '', ...rest] = name.split(' ')
  return { kind, subject: rest.join(' ') }
}

/** Numbers are written as #, so that a label has few values. */
function labelOf(reason: string): string {
  return reason.replaceAll(/\d+/g, '#').slice(0, maxReasonChars)
}
