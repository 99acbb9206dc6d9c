/**
 * Metrics of a process, read when they are scraped: its conditions, its leases with their lag, and the defaults of
 * prom-client.
 */
import type { Log } from '@loomlog/log/port'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Conditions } from './conditions.ts'
import type { HeldLease, LeaseProgress } from './lease-progress.ts'

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
  // A scrape collects all metrics at once, so both gauges get the same reading.
  let reading: Promise<readonly HeldLease[]> | null = null
  const readLeases = () => {
    reading ??= read(leases()).finally(() => {
      reading = null
    })
    return reading
  }
  const ofLeases = (name: string, help: string, figureOf: (lease: HeldLease) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['group', 'topic', 'partition'],
      registers,
      async collect() {
        const held = await readLeases()
        this.reset()
        for (const lease of held) {
          const { group, topic, partition } = lease
          this.set({ group, topic, partition }, figureOf(lease))
        }
      },
    })
  ofLeases(
    'loomlog_lease_lag_records',
    'Offsets of a partition that this process holds and has not finished.',
    ({ end, position }) => Math.max(0, end - position),
  )
  ofLeases(
    'loomlog_lease_behind_seconds',
    'For how long a partition that this process holds has not reached an end that it had.',
    ({ behindMs }) => behindMs / 1_000,
  )
  return registry
}

/** While the log is away there are no samples; the condition `log` shows the outage. */
async function read(held: ReturnType<ProcessMetricsOptions['leases']>): Promise<readonly HeldLease[]> {
  return held === null ? [] : held.progress.leases(held.log).catch(() => [])
}

/** `paused topic-loom.3f…` is of the kind `paused`. */
function kindOf(name: string): { readonly kind: string; readonly subject: string } {
  const [kind = '', ...rest] = name.split(' ')
  return { kind, subject: rest.join(' ') }
}

/** Replaces numbers by #, so that a label has few values. */
function labelOf(reason: string): string {
  return reason.replaceAll(/\d+/g, '#').slice(0, maxReasonChars)
}
